"""Reads a file past the page cache, again and again: bound by the disk."""

import mmap
import os
import sys
import time

block = mmap.mmap(-1, 8 << 20)
descriptor = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    os.lseek(descriptor, 0, os.SEEK_SET)
    while os.readv(descriptor, [block]):
        pass
