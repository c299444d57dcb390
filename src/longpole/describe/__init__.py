"""Descriptions that people write: machines and cases in TOML, workflows in YAML or Python."""
