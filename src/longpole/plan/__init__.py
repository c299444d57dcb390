"""From a workflow to jobs: which tasks there are, where their data goes, and what that moves."""
