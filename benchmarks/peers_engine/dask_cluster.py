"""Dask: a cluster of worker processes on this machine, a task at a time in each."""

from __future__ import annotations

import os
from collections.abc import Callable

from asked import Asked, answer, asked, program, timed
from distributed import Client, LocalCluster
from steps import nothing

TRUE = program("true")
Function = Callable[[object], None]


def spawn(_: object = None) -> None:
    """Run ``true`` in a process of its own."""
    pid = os.posix_spawn(TRUE, [TRUE], dict(os.environ))
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("true has failed")


def main() -> None:
    """Run what is asked for."""
    what = asked()
    shape = {"n_workers": what.cores, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**shape, dashboard_address=None) as cluster, Client(cluster) as client:
        client.gather(client.map(spawn, range(what.cores), pure=False))
        answer(timed(lambda: _work(client, what)))


def _work(client: Client, what: Asked) -> None:
    function: Function = nothing if what.shape == "functions" else spawn
    if what.shape != "chain":
        client.gather(client.map(function, range(what.tasks), pure=False))
        return
    last = client.submit(function, None, pure=False)
    for _ in range(what.tasks - 1):
        last = client.submit(function, last, pure=False)
    last.result()


if __name__ == "__main__":
    main()
