"""Runs calls in worker processes, in threads and one after the other; says what came out."""

import warnings

import numpy as np
from joblib import Parallel, delayed

import longpole


def square(x):
    with longpole.phase("inside"):
        return x * x


def warn(x):
    warnings.warn(f"about {x}", stacklevel=2)
    return x


def nest(x):
    return sum(Parallel(n_jobs=2, backend="threading")(delayed(square)(x + y) for y in range(2)))


def fail(x):
    raise ValueError(x)


with longpole.phase("processes"):
    print(Parallel(n_jobs=2)(delayed(square)(x) for x in range(6)))
    print(Parallel(n_jobs=2, batch_size=3)(delayed(np.sqrt)(x) for x in range(6)))
with longpole.phase("threads"):
    print(Parallel(n_jobs=2, backend="threading")(delayed(square)(x) for x in range(4)))
    print(Parallel(n_jobs=2, prefer="threads")(delayed(warn)(x) for x in range(1)))
with longpole.phase("one"):
    print(Parallel(n_jobs=1)(delayed(warn)(x) for x in range(2)))
with longpole.phase("nested"):
    print(Parallel(n_jobs=2)(delayed(nest)(x) for x in range(2)))
print(list(Parallel(n_jobs=2, return_as="generator", backend="threading")(delayed(abs)(x) for x in (-1, 2))))
print(Parallel(n_jobs=2, backend="multiprocessing")(delayed(square)(x) for x in range(2)))
for backend in ("threading", "loky"):
    try:
        Parallel(n_jobs=2, backend=backend)(delayed(fail)(x) for x in (7, 7))
    except ValueError as error:
        print(backend, repr(error))
