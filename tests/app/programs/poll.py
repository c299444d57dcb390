"""Starts tiny programs one after the other, and looks for the end of each every 50 ms: bound by dispatch."""

import subprocess
import sys
import time

for _ in range(int(sys.argv[1])):
    started = subprocess.Popen(["true"])
    while started.poll() is None:
        time.sleep(0.05)
