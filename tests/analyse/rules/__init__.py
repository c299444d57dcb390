"""Tests of rules: each finds what was planted first, and is silent on what is nearly that."""
