"""Running a plan: the runner, its engines, staging and containers."""
