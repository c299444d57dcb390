"""Starts processes by every method, in phases of that name, and processes that start further ones."""

import multiprocessing
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import longpole


def work(number, method=""):
    with longpole.phase("work", number=number):
        if method:
            with longpole.phase("deeper"):
                run(multiprocessing.get_context(method), number + 1)
    return number


def run(context, number, method=""):
    process = context.Process(target=work, args=(number, method))
    process.start()
    process.join()
    print(number, process.exitcode, flush=True)


def fail():
    raise RuntimeError("as meant")


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with longpole.phase(method):
            run(context, 1, method)
    run(multiprocessing.get_context("spawn"), 5)  # in no phase
    with longpole.phase("pool"), multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work, range(3)))
    with longpole.phase("executor"), ProcessPoolExecutor(2) as executor:
        print(list(executor.map(work, range(3))))
    process = multiprocessing.get_context("fork").Process(target=fail)
    process.start()
    process.join()
    try:
        process.start()
    except AssertionError as error:
        print(error, process.exitcode)
    unpicklable = multiprocessing.get_context("spawn").Process(target=work, args=(threading.Lock(),))
    sys.stdout.flush()
    unpicklable.start()
