"""Trains so many epochs of 6 steps with two workers that load the data, started as it is told."""

import sys
import threading

from prog_loop import train

if __name__ == "__main__":
    for _ in range(int(sys.argv[2])):
        print(repr(train(6, num_workers=2, multiprocessing_context=sys.argv[1])))
    # Threads that feed queues may be freeing a semaphore: a Python that ends in the middle of that warns.
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(10)
