"""Showing: data in, text out. Nothing here computes what it shows."""
