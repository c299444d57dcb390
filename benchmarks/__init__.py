"""Measurements: ours and others', interleaved in one run, printed as ratios."""
