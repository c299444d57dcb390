"""Adds numbers up in pure Python: bound by the CPU."""

import sys
import time

until = time.monotonic() + float(sys.argv[1])
total = 0
while time.monotonic() < until:
    total += sum(number * number for number in range(20_000))
