"""Several hosts that write into one run: clocks that are off are set right, parts are merged."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests.parts import need
from tests.record.hosts import on_host
from tests.recording import Someone

AHEAD_S = 3.7


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


def test_a_host_whose_clock_is_ahead_is_set_right(user: Someone) -> None:
    need("faketime")
    both = [on_host(user, "right", "sleep 5"), on_host(user, "ahead", "sleep 5", ahead_s=AHEAD_S)]
    said = [process.communicate(timeout=60) for process in both]

    run = open_run(find_run("hosts", user.runs))
    last = ends(run)
    error_s = (run.recording.clock_error_ns or 0) / 1e9
    assert said == [("", "")] * 2
    assert set(last) == {"right", "ahead"}
    assert (run.recording.hosts, run.recording.hosts_compared) == (2, 2)
    assert 0 < error_s < 0.5
    # both slept alike from about the same moment on: what is left of 3.7 s is how much later one began
    assert abs(last["ahead"] - last["right"]) / 1e9 < AHEAD_S / 2
    assert rows(run, "SELECT id FROM phases WHERE duration_ns < 0 OR end_ns < start_ns") == []
    clocks = rows(run, "SELECT host, count(*) AS n FROM clocks GROUP BY host HAVING n > 1")
    assert len(clocks) == 1
    assert not (run.path / "clock.json").exists()


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
