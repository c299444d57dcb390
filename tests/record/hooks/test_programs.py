"""Programs that train in several processes, or in a notebook: each has its steps, and runs as before."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from longpole.store.run import StoredRun, open_run
from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS, Setting, record, run, same
from tests.recording import Someone

ONE_THREAD = {"OMP_NUM_THREADS": "1"}
STEPS = """SELECT p.id, p.rank, p.world, sum(s.count)::BIGINT AS steps
           FROM processes p JOIN phases s ON s.process = p.id AND s.kind = 'step'
           GROUP BY p.id, p.rank, p.world ORDER BY steps"""
# The process that each process is part of.
HOLDERS = """SELECT p.process, q.process AS holder
             FROM phases p JOIN phases q ON p.parent = q.id WHERE p.kind = 'process'"""


@pytest.fixture(autouse=True, scope="module")
def _torch() -> None:
    need("torch")


def trained(run: StoredRun) -> list[tuple[object, ...]]:
    """Return rank, world and steps of each process that trained."""
    return [(row["rank"], row["world"], row["steps"]) for row in run.query(STEPS).records()]


def test_functions_of_torch_look_fail_and_warn_as_before(user: Someone, tmp_path: Path) -> None:
    said = same(user, [user.python, str(PROGRAMS / "prog_patched.py")], Setting(tmp_path))

    assert said.code == 0
    assert said.err.count("Traceback") == 6


@pytest.mark.parametrize("method", ["os", "fork"])
def test_parent_and_child_have_steps_of_their_own(user: Someone, tmp_path: Path, method: str) -> None:
    said = same(user, [user.python, str(PROGRAMS / "prog_fork.py"), method], Setting(tmp_path))

    assert (said.code, said.err) == (0, "")
    run = user.latest()
    child, parent = run.query(STEPS).records()
    assert (child["steps"], parent["steps"]) == (3, 12)
    assert {"process": child["id"], "holder": parent["id"]} in list(run.query(HOLDERS).records())


@pytest.mark.parametrize(("method", "epochs"), [("fork", 3), ("spawn", 1)])
def test_steps_are_counted_once_when_workers_load_the_data(
    user: Someone, tmp_path: Path, method: str, epochs: int
) -> None:
    command = [user.python, str(PROGRAMS / "prog_workers.py"), method, str(epochs)]

    said = same(user, command, Setting(tmp_path))

    assert (said.code, said.err) == (0, "")
    run = user.latest()
    assert trained(run) == [(None, None, 6 * epochs)]
    [trainer] = run.query(STEPS).records()
    workers = [row for row in run.query(HOLDERS).records() if row["holder"] == trainer["id"]]
    assert len(workers) >= 2 * epochs
    assert list(run.query("SELECT count(*) AS n FROM phases WHERE kind = 'epoch'")["n"]) == [epochs]


def test_ranks_that_torchrun_starts_have_their_steps(user: Someone, tmp_path: Path) -> None:
    start = [user.python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command, setting = [*start, str(PROGRAMS / "prog_ranks.py")], Setting(tmp_path, ONE_THREAD)

    bare, said = run(user, command, setting), record(user, command, setting)

    assert (said.code, said.out) == (0, bare.out)
    assert trained(user.latest()) == [(0, 2, 7), (1, 2, 9)]


def test_ranks_that_torch_spawns_have_their_steps(user: Someone, tmp_path: Path) -> None:
    command = [user.python, str(PROGRAMS / "prog_ranks.py"), _free_port()]

    said = record(user, command, Setting(tmp_path, ONE_THREAD))

    assert said.code == 0
    assert trained(user.latest()) == [(0, 2, 7), (1, 2, 9)]


def test_notebook_that_has_imported_torch_before_is_recorded_and_left_as_it_was(
    user: Someone, tmp_path: Path
) -> None:
    need("jupyter")
    command = [user.python, str(PROGRAMS / "prog_notebook.py"), str(PROGRAMS), str(user.runs)]

    said = run(user, command, Setting(tmp_path, {"IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path)}))

    assert (said.code, said.out.splitlines()[0], said.out.splitlines()[2]) == (0, "True False", "True")
    first, second = sorted(user.runs.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert [trained(open_run(path)) for path in (first, second)] == [[(None, None, 9)], [(None, None, 6)]]


def _free_port() -> str:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])
