"""One file per foreign format: what other tools read, and what they wrote."""
