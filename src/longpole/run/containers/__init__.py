"""Container runtimes, one file each."""
