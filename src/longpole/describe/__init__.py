"""Descriptions that people write: machines and cases, read from TOML into the model, and written back."""
