"""Fails in a worker process, after a failure in a thread that was caught."""

import traceback

from joblib import Parallel, delayed


def fail(x):
    raise RuntimeError("as meant", x)


for jobs in (1, 2):
    try:
        Parallel(n_jobs=jobs, backend="threading")(delayed(fail)(x) for x in (7, 7))
    except RuntimeError:
        traceback.print_exc()
Parallel(n_jobs=2)(delayed(fail)(x) for x in (7, 7))
