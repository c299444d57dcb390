"""From the log of a run to its tables; one file for each thing the log tells of."""
