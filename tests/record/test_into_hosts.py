"""Several hosts that write into one run: clocks that are off are set right, parts are merged."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from longpole.store.derive.content import read_content
from longpole.store.derive.hosts import Hosts
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests.parts import need
from tests.record.hosts import Clocks, on_host, wrong_clocks
from tests.recording import Someone

AHEAD_NS = 3_700_000_000
DRIFT_PPM = 20


@pytest.fixture(autouse=True)
def needs() -> None:
    need("root")
    need("userns")


def rows(run: StoredRun, sql: str) -> list[dict[str, object]]:
    return [dict(row) for row in run.query(sql).records()]


def ends(run: StoredRun) -> dict[str, int]:
    """Return when the commands of each host ended."""
    found = rows(
        run,
        "SELECT hosts.name, max(processes.end_ns) AS last FROM processes"
        " JOIN hosts ON processes.host = hosts.id GROUP BY ALL",
    )
    return {str(row["name"]): int(str(row["last"])) for row in found}


def test_a_host_whose_clocks_are_ahead_and_drift_is_set_right(user: Someone, tmp_path: Path) -> None:
    need("gcc")
    wrong = wrong_clocks(tmp_path, AHEAD_NS, DRIFT_PPM)
    both = [on_host(user, "right", "sleep 8"), on_host(user, "ahead", "sleep 8", wrong.environment())]
    said = [process.communicate(timeout=60) for process in both]

    run = open_run(find_run("hosts", user.runs))
    last = ends(run)
    notes = run.recording
    assert said == [("", "")] * 2
    assert (notes.hosts, notes.hosts_compared) == (2, 2)
    assert 0 < (notes.clock_error_ns or 0) < AHEAD_NS / 10
    # both slept alike from about the same moment on: what is left of 3.7 s is how much later one began
    assert abs(last["ahead"] - last["right"]) < AHEAD_NS / 2
    assert rows(run, "SELECT id FROM phases WHERE duration_ns < 0 OR end_ns < start_ns") == []
    assert not (run.path / "clock.json").exists()
    check_offsets(run, wrong)


def check_offsets(run: StoredRun, wrong: Clocks) -> None:
    """Assert that a moment is the same on UTC by the clocks of both hosts, within the stated error.

    That holds from the first comparison to the last.
    """
    content = read_content(run.path / "log", run.state)
    hosts = Hosts(content.logs, run.manifest.started)
    axes = {log.name.partition("-")[0]: axis for log, axis in zip(content.logs, hosts.offsets, strict=True)}
    error_ns = max(error or 0 for error in hosts.alignment.errors.values())
    compared = sorted(at for host in hosts.ids for at, _, _ in hosts.alignment.comparisons(host))
    assert len(compared) >= 2
    for real_ns in range(compared[0] + 10**6, compared[-1] - 10**6, 10**9):
        shown_ns = real_ns + (real_ns - wrong.since_ns) * DRIFT_PPM // 10**6
        assert abs((real_ns + axes["right"]) - (shown_ns + axes["ahead"])) <= error_ns + 1000


def test_hosts_that_share_no_folder_are_merged(user: Someone, tmp_path: Path) -> None:
    parts = []
    for host in ("one", "two"):
        runs = tmp_path / host
        on_host(user, host, "true", {"LONGPOLE_RUNS": str(runs)}).communicate(timeout=60)
        parts += [str(path) for path in runs.glob("2*")]

    done = subprocess.run(
        user.command("merge", *parts, "--json"),
        env=user.environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    run = open_run(json.loads(done.stdout)["path"])
    assert set(ends(run)) == {"one", "two"}
    assert (run.manifest.name, run.state) == ("hosts", "finished")
    assert run.recording.commands == 2
    assert (run.recording.hosts, run.recording.hosts_compared) == (2, 0)


def test_parts_that_cannot_be_merged_are_named(user: Someone) -> None:
    user.record("true", options=("--into", "a"))
    user.record("true")
    ids = [path.name.rpartition("-")[2] for path in sorted(user.runs.glob("2*"))]

    done = [
        subprocess.run(
            user.command("merge", *wanted),
            env=user.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        for wanted in (ids, ids[:1])
    ]

    assert [one.returncode for one in done] == [2, 2]
    assert "is whole by itself: only runs of 'longpole record --into' can be merged" in done[0].stderr
    assert "There is nothing to merge" in done[1].stderr
    assert len(list(user.runs.glob("2*"))) == 2
