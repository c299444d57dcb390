"""Tables of results: one file for each, and what they share."""
