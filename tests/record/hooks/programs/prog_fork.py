"""Trains, forks, and trains on in parent and child: 5 and 7 steps in the parent, 3 in the child."""

import multiprocessing
import os
import sys

from prog_loop import train


def work(steps):
    sys.stdout.write(f"child {train(steps)!r}\n")
    sys.stdout.flush()


print("before", repr(train(5)), flush=True)
if sys.argv[1] == "os":
    child = os.fork()
    if child == 0:
        work(3)
        sys.exit(4)
    print("child ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    process = multiprocessing.get_context(sys.argv[1]).Process(target=work, args=(3,))
    process.start()
    process.join()
    print("child ended", process.exitcode, flush=True)
print("after", repr(train(7)))
