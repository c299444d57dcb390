"""Recording from within a program."""

from __future__ import annotations

import subprocess

import pytest

from tests.recording import Someone, total

PROGRAM = """
import os, subprocess, sys, time
import longpole
with longpole.record("within") as recording:
    with longpole.phase("work", n=1):
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
    subprocess.run(["sh", "-c", "head -c 1000000 /dev/zero > /dev/null; sleep 0.2"])
    with longpole.record("nested"): pass
with longpole.phase("after"): pass
print(recording.path)
print([name for name in os.environ if name in ("LONGPOLE_RUN", "LONGPOLE_RINGS")])
try:
    os.wait()
except ChildProcessError:
    print("no child left")
"""


def run(someone: Someone, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*someone.prefix, someone.python, "-c", program],
        capture_output=True,
        text=True,
        env=someone.environment(),
        cwd=someone.runs.parent,
        timeout=60,
        check=False,
    )


def test_block_becomes_a_run(anyone: Someone) -> None:
    done = run(anyone, PROGRAM)

    assert (done.returncode, done.stderr) == (0, "")
    path, left_in_environment, children = done.stdout.splitlines()
    assert (path, left_in_environment, children) == (str(anyone.folder()), "[]", "no child left")
    stored = anyone.latest()
    names = stored.query("SELECT name FROM phases WHERE kind IN ('phase', 'command') ORDER BY start_ns")[
        "name"
    ]
    assert list(names) == ["work", "nested"]
    assert (stored.manifest.name, stored.manifest.exit_code) == ("within", 0)


def test_totals_are_of_the_block_alone(anyone: Someone) -> None:
    run(anyone, PROGRAM)

    stored = anyone.latest()
    cpu_s = (total(stored, "cpu_user_ns") + total(stored, "cpu_system_ns")) / 1e9
    assert 0.3 <= cpu_s < 1.5
    assert 1_000_000 <= total(stored, "written_bytes") < 1_200_000


def test_failing_block_fails_as_it_would_and_is_marked(user: Someone) -> None:
    done = run(user, "import longpole\nwith longpole.record('bad'):\n    raise SystemExit(4)")

    assert done.returncode == 4
    assert user.latest().manifest.exit_code == 1


def test_block_that_cannot_be_recorded_runs_all_the_same(user: Someone) -> None:
    block = "with longpole.record('x', runs='/proc/nowhere') as r: print('ran', repr(r.path))"
    program = f"import longpole\n{block}"

    done = run(user, program)

    assert (done.returncode, done.stdout) == (0, "ran ''\n")
    assert done.stderr.startswith("longpole: nothing is recorded in /proc/nowhere")


@pytest.mark.parametrize(
    "program",
    [
        "import os; files = [open('/dev/null') for _ in range(1100)]\nwith longpole.record('x'): pass",
        "import os\nwith longpole.record('x'): pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)",
        "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\nwith longpole.record('x'): pass",
        "with longpole.record('x', runs='a\\0b'): pass",
        "with longpole.record(5): pass",
        "import sys; sys.executable = None\nwith longpole.record('x'): pass",
        "import sys; sys.stderr = None\nwith longpole.record('x', runs='/proc/nowhere'): pass",
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nwith longpole.record('x'): pass",
        "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\nwith longpole.record('x'): pass",
    ],
)
def test_nothing_odd_raises_into_the_program(user: Someone, program: str) -> None:
    limits = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))"
    done = run(user, f"{limits}\nimport longpole\n{program}\nprint('fine')")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "fine"), done.stderr
    assert "Traceback" not in done.stderr


def test_descriptors_are_given_back(user: Someone) -> None:
    count = "len(os.listdir('/proc/self/fd'))"
    blocks = (
        f"before = {count}\nfor _ in range(3):\n    with longpole.record('x'): pass\nprint({count} - before)"
    )

    assert run(user, f"import os, longpole\n{blocks}").stdout == "0\n"


def test_start_that_fails_leaves_nothing_behind(user: Someone) -> None:
    run(user, "import sys, longpole; sys.executable = None\nwith longpole.record('x'): pass")

    assert list(user.runs.iterdir()) == []


def test_what_the_program_did_before_the_block_is_not_of_the_block(user: Someone) -> None:
    burn = "end = time.process_time() + 1.0\nwhile time.process_time() < end: pass"
    run(user, f"import time, longpole\n{burn}\nwith longpole.record('x'): time.sleep(1.0)")

    used = user.latest().query(
        "SELECT max(value) AS most FROM samples JOIN resources ON resource = id "
        "WHERE scope = 'process' AND kind = 'cpu'"
    )
    assert float(used["most"][0] or 0) < 2  # cores, of a process with one thread
