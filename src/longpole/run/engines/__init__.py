"""Engines that execute jobs, one folder or file each."""
