"""The run directory as a reader sees it: choosing runs, log to tables, SQL."""
