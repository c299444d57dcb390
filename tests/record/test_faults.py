"""Faults of the recorder never reach the command, and one line says what was lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.parts import need
from tests.recording import Someone

WORKLOAD = (
    "import longpole, sys, time\n"
    "for n in range({count}):\n"
    "    with longpole.phase('mark', filler='x' * 400): time.sleep({pause})\n"
    "print('done'); sys.exit(11)\n"
)


def workload(count: int = 5, pause: float = 0.02) -> str:
    return WORKLOAD.format(count=count, pause=pause)


def check_unharmed(done: subprocess.CompletedProcess[str], *said: str) -> None:
    """The command's output and code are as ever, and one line on standard error says what was lost."""
    assert (done.returncode, done.stdout) == (11, "done\n")
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("longpole: ")
    for words in said:
        assert words in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of one megabyte."""
    need("root")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_disk_that_is_full_from_the_start(user: Someone, small_disk: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(bytes(2 << 20))

    done = user.record(user.python, "-c", workload(), options=["--runs", str(small_disk / "runs")])

    check_unharmed(done, str(small_disk), "No space left")


def test_disk_that_fills_up_while_recording(user: Someone, small_disk: Path) -> None:
    done = user.record(user.python, "-c", workload(5000, 0.0002), options=["--runs", str(small_disk)])

    check_unharmed(done, "records were lost", "No space left")
    run = next(path for path in small_disk.iterdir() if path.is_dir())
    shown = subprocess.run(
        user.command("show", str(run), "--json"),
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )
    assert shown.returncode in (0, 3), shown.stderr
    assert json.loads(shown.stdout)["phases"][0]["name"] == "mark"


def test_full_memory_for_rings(user: Someone) -> None:
    need("root")
    script = (
        "mount -t tmpfs -o size=64k,mode=1777 tmpfs /dev/shm;"
        " head -c 1M /dev/zero 2>/dev/null > /dev/shm/ballast;"
        ' exec "$@"'
    )
    command = user.command("record", "--", user.python, "-c", workload())
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *command],
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )

    check_unharmed(done, "phases", "no room in /dev/shm")


def test_run_directory_removed_while_recording(anyone: Someone) -> None:
    process = anyone.start(anyone.python, "-c", workload(60, 0.02))
    time.sleep(0.6)
    shutil.rmtree(anyone.folder())
    out, err = process.communicate(timeout=30)

    check_unharmed(
        subprocess.CompletedProcess([], process.returncode, out, err), "was removed while recording"
    )


def test_runs_folder_that_may_not_be_written(nobody: Someone) -> None:
    os.chown(nobody.runs, 0, 0)

    done = nobody.record(nobody.python, "-c", workload())

    check_unharmed(done, "nothing was recorded", "Permission denied")


def test_runs_folder_that_is_a_file(user: Someone) -> None:
    place = user.runs / "file"
    place.write_text("")

    check_unharmed(
        user.record(user.python, "-c", workload(), options=["--runs", str(place)]), "nothing was recorded"
    )


FAULTY = """
import importlib, sys
module = importlib.import_module("longpole.record.{module}")
def fail(*args, **kwargs):
    raise RuntimeError("planted")
setattr(module.{owner}, "{method}", fail)
from longpole.app.record import record
sys.exit(record(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("module", "owner", "method", "said"),
    [
        ("agent", "Agent", "_loop", "the agent failed: RuntimeError: planted"),
        ("agent", "Agent", "__init__", "the agent failed: RuntimeError: planted"),
        ("agent", "Agent", "_close", "the agent failed: RuntimeError: planted"),
        ("samplers.host", "HostSampler", "sample", "a source stopped (host: RuntimeError: planted)"),
        (
            "samplers.processes",
            "ProcessSampler",
            "__init__",
            "a source stopped (processes: RuntimeError: planted)",
        ),
        ("samplers.phases", "PhaseCollector", "sample", "a source stopped (phases: RuntimeError: planted)"),
    ],
)
def test_agent_that_raises(user: Someone, module: str, owner: str, method: str, said: str) -> None:
    script = FAULTY.format(module=module, owner=owner, method=method)
    done = subprocess.run(
        [sys.executable, "-c", script, "--", user.python, "-c", workload()],
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )

    check_unharmed(done, said)
    assert user.latest().manifest.exit_code == 11


def test_phases_that_outrun_the_agent_are_counted(user: Someone) -> None:
    burst = "import longpole\nfor n in range(60000):\n    with longpole.phase('fast', n=n): pass\n"

    done = user.record(user.python, "-c", burst)

    rows = user.latest().query("SELECT count(*) AS n FROM phases WHERE name = 'fast'")
    kept = int(rows["n"][0] or 0)
    assert done.returncode == 0
    assert kept == 60000 or "came faster than they could be kept" in done.stderr
