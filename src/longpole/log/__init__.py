"""The append-only log: slots, rings and frames, read and written here and nowhere else."""
