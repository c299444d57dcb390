"""Reads a file past the page cache, again and again: bound by the disk."""

import mmap
import os
import sys
import time

path, seconds = sys.argv[1], float(sys.argv[2])
block = mmap.mmap(-1, 4 << 20)
if not os.path.exists(path):
    with open(path, "wb") as file:
        file.writelines(os.urandom(len(block)) for _ in range(32))
        os.fsync(file.fileno())
descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
until = time.monotonic() + seconds
while time.monotonic() < until:
    os.lseek(descriptor, 0, os.SEEK_SET)
    while os.readv(descriptor, [block]):
        pass
