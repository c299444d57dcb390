"""Frozen data that layers hand to each other: standard library only, and nothing below it."""
