"""Memory limits of jobs: by control groups where that is permitted, else by watching."""
