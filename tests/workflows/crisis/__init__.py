"""Tests of the Crisis workflow's own files."""
