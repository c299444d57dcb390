"""Ways of moving files, one file each."""
