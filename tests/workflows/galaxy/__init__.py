"""Tests of the Galaxy workflow."""
