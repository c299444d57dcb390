"""Measuring: what this machine can do at best, found by making it do it."""
