"""Recording processes that already run: from the moment of attaching on, and without touching them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from longpole.app.overview import overview_of
from longpole.store.run import StoredRun
from tests.parts import need
from tests.recording import Someone, total

# Does what it is told, line by line, and then says what it has used.
OBEYING = """
import os, resource, subprocess, sys, time

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def read(megabytes):
    with open("/dev/zero", "rb", buffering=0) as zeros:
        for _ in range(megabytes):
            zeros.read(1_000_000)

def child(code):
    subprocess.run([sys.executable, "-c", code], check=True)

def used():
    own, below = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, below.ru_utime + below.ru_stime

print(os.getpid(), flush=True)
for line in sys.stdin:
    exec(line)
    print(*used(), flush=True)
"""
BURNING = "import time\nwhile time.process_time() < 0.1: pass"
MEGABYTE = 1_000_000
# In a shell: wait until the run of the name 'inner' has begun.
BEGUN = 'while [ -z "$(ls $LONGPOLE_RUNS/*-inner-*/log/* 2> /dev/null)" ]; do sleep 0.1; done'


class Worker:
    """A process that is told what to do."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.pid = int(process.stdout.readline())

    def do(self, line: str) -> tuple[float, float]:
        """Let it do something; return the CPU seconds that it, and what it has reaped, used so far."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        own, below = self.process.stdout.readline().split()
        return float(own), float(below)

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@contextmanager
def working(*prefix: str, python: str = sys.executable) -> Iterator[Worker]:
    command = [*prefix, python, "-c", OBEYING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield Worker(process)
        process.kill()


@pytest.fixture
def worker() -> Iterator[Worker]:
    with working() as someone:
        yield someone


@contextmanager
def attached(
    someone: Someone, *pids: int, options: Sequence[str] = ()
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Attach, and give the recorder and what it has said once it has taken its first reading."""
    command = someone.command("record", *options, *(f"--pid={pid}" for pid in pids))
    before = set(someone.runs.iterdir())
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=someone.environment(), cwd="/"
    ) as recorder:
        assert recorder.stderr is not None
        said = recorder.stderr.readline()
        wait_until(lambda: any(has_begun(run) for run in set(someone.runs.iterdir()) - before))
        yield recorder, said
        if recorder.poll() is None:
            recorder.send_signal(signal.SIGINT)
            recorder.wait(30)


def has_begun(run: Path) -> bool:
    """Return whether the agent has written, which it does after its first readings."""
    return any(log.stat().st_size > 1000 for log in (run / "log").iterdir())


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


def cpu_s(run: StoredRun) -> float:
    return (total(run, "cpu_user_ns") + total(run, "cpu_system_ns")) / 1e9


def lives(pid: int) -> bool:
    return (
        Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split(")")[1][1] not in "ZX"
    )


def test_cpu_time_is_counted_from_the_moment_of_attaching(anyone: Someone, worker: Worker) -> None:
    worker.do("burn(1.0)")
    with attached(anyone, worker.pid):
        before, _ = worker.do("pass")
        after, _ = worker.do("burn(1.0)")

    run = anyone.latest()
    (shown,) = overview_of(run).process_list
    assert cpu_s(run) == pytest.approx(after - before, rel=0.15)
    assert shown.cpu_s == pytest.approx(cpu_s(run), rel=0.1)
    assert shown.wall_s <= (overview_of(run).makespan_s or 0)


def test_no_sample_holds_what_was_before(user: Someone, worker: Worker) -> None:
    worker.do("burn(1.0)")
    with attached(user, worker.pid):
        worker.do("burn(0.3)")

    used = user.latest().query(
        "SELECT max(value) AS most FROM samples JOIN resources ON resource = id "
        "WHERE scope = 'process' AND kind = 'cpu'"
    )
    assert 0 < float(used["most"][0] or 0) < 2  # of a process with one thread


def test_bytes_are_counted_from_the_moment_of_attaching(user: Someone, worker: Worker) -> None:
    worker.do("read(50)")
    with attached(user, worker.pid):
        worker.do("read(20)")

    run = user.latest()
    assert 20 * MEGABYTE <= total(run, "read_bytes") < 30 * MEGABYTE
    assert 20 * MEGABYTE <= (overview_of(run).process_list[0].read_bytes or 0) < 30 * MEGABYTE


def test_children_started_later_are_recorded_below_their_parent(user: Someone, worker: Worker) -> None:
    with attached(user, worker.pid):
        _, below = worker.do("child('import time\\nwhile time.process_time() < 1.0: pass')")

    run = user.latest()
    rows = list(run.query("SELECT id, pid, parent, command FROM processes ORDER BY id").records())
    assert [(row["pid"] == worker.pid, row["parent"]) for row in rows] == [(True, None), (False, 1)]
    assert cpu_s(run) == pytest.approx(below, rel=0.15)


def test_children_that_were_there_before_are_recorded_from_now_on(user: Someone) -> None:
    with working("sh", "-c", '"$0" "$@"; true') as worker:
        worker.do("burn(1.0)")
        parent = int(Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()[1])
        with attached(user, parent):
            before, _ = worker.do("pass")
            after, _ = worker.do("burn(1.0)")
            worker.end()

    assert cpu_s(user.latest()) == pytest.approx(after - before, rel=0.15)


def test_children_too_short_to_be_seen_are_in_the_totals(anyone: Someone) -> None:
    with working(python=anyone.python) as worker, attached(anyone, worker.pid, options=["--rate", "0.1"]):
        worker.do(f"for _ in range(10): child({BURNING!r})")
        _, below = worker.do("pass")
        time.sleep(1.0)

    run = anyone.latest()
    assert cpu_s(run) == pytest.approx(below, rel=0.2)
    assert any("ended between two samples" in sentence for sentence in overview_of(run).unseen)


def test_several_processes_are_one_run_that_ends_with_the_last(user: Someone, worker: Worker) -> None:
    with working() as other, attached(user, worker.pid, other.pid) as (recorder, said):
        worker.do("burn(0.5)")
        worker.end()
        other.do("burn(0.5)")
        assert recorder.poll() is None
        other.end()
        assert recorder.wait(30) == 0

    run = user.latest()
    pids = sorted(run.query("SELECT pid FROM processes")["pid"])  # type: ignore[type-var]
    assert pids == sorted([worker.pid, other.pid])
    assert said.startswith(f"longpole: recording 2 processes, {min(worker.pid, other.pid)} (")
    assert "Recording was attached to 2 processes" in overview_of(run).unseen[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_recording_in_order_and_leaves_the_process_alone(
    user: Someone, worker: Worker, number: signal.Signals
) -> None:
    with attached(user, worker.pid) as (recorder, _):
        recorder.send_signal(number)
        assert recorder.wait(30) == 0
        assert recorder.stderr is not None
        assert recorder.stderr.read() == ""

    manifest = user.latest().manifest
    assert (manifest.state, manifest.exit_code, manifest.signal) == ("finished", None, None)
    assert manifest.left_behind == 1
    assert worker.do("pass") > (0, 0)


def test_ignored_signal_stays_ignored(user: Someone, worker: Worker) -> None:
    nohup = Someone(("nohup",), user.python, user.source, user.runs)
    with attached(nohup, worker.pid) as (recorder, _):
        recorder.send_signal(signal.SIGHUP)
        worker.do("burn(0.3)")
        assert recorder.poll() is None


def test_recording_ends_with_the_process(anyone: Someone, worker: Worker) -> None:
    with attached(anyone, worker.pid) as (recorder, _):
        worker.end()
        assert recorder.wait(30) == 0

    run = anyone.latest()
    assert (run.manifest.state, run.manifest.exit_code, run.manifest.left_behind) == ("finished", None, 0)
    assert overview_of(run).attached == 1


def test_recording_ends_when_the_process_is_killed_and_nobody_takes_note(
    user: Someone, worker: Worker
) -> None:
    with attached(user, worker.pid) as (recorder, _):
        os.kill(worker.pid, signal.SIGKILL)
        assert recorder.wait(30) == 0

    run = user.latest()
    assert run.manifest.left_behind == 0
    assert run.query("SELECT count(end_ns) AS ended FROM processes")["ended"][0] == 1


def test_what_is_missing_is_said_first_by_the_recorder_and_then_by_the_run(
    user: Someone, worker: Worker
) -> None:
    with attached(user, worker.pid) as (_, said):
        pass

    assert said.startswith(f"longpole: recording process {worker.pid} ({sys.executable} -c ")
    assert said.endswith(
        "until it ends or Ctrl-C; samples only: no exit code, no phases, totals from the samples\n"
    )
    environment = user.environment({"COLUMNS": "200"})
    show = subprocess.run(user.command("show"), capture_output=True, text=True, env=environment, check=True)
    assert "recorded for" in show.stdout
    assert "attached to a process that already ran" in show.stdout
    assert "Totals are sampled, and counted from the moment of attaching" in show.stdout
    assert "longpole.phase" not in show.stdout


def test_all_totals_are_stated_as_sampled(user: Someone, worker: Worker) -> None:
    with attached(user, worker.pid):
        worker.do("burn(0.2)")

    sources = user.latest().query("SELECT DISTINCT source FROM totals")
    assert list(sources["source"]) == ["sampled"]


def test_name_folder_and_variables_are_those_of_the_process(user: Someone) -> None:
    script = user.runs.parent / "fit.py"
    script.write_text(OBEYING)
    variables = {**os.environ, "OMP_NUM_THREADS": "3", "HF_TOKEN": "x"}
    command = [sys.executable, str(script), "--token", "hunter2"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, env=variables, cwd=script.parent, stdout=subprocess.DEVNULL
    ) as process:
        with attached(user, process.pid) as (_, said):
            pass
        process.kill()

    manifest = user.latest().manifest
    assert (manifest.name, manifest.folder) == ("fit", str(script.parent))
    assert (manifest.environment or {})["OMP_NUM_THREADS"] == "3"
    assert "HF_TOKEN" not in (manifest.environment or {})
    assert manifest.command == (sys.executable, str(script), "--token", "***")
    assert "hunter2" not in said


def test_process_of_another_user_is_recorded_but_for_its_bytes(nobody: Someone, worker: Worker) -> None:
    with attached(nobody, worker.pid) as (_, said):
        before, _ = worker.do("pass")
        after, _ = worker.do("burn(0.5)")
        worker.do("read(5)")

    shown = overview_of(nobody.latest())
    assert said.endswith(", and its bytes may not be read\n")
    assert (shown.cpu_user_s or 0) + (shown.cpu_system_s or 0) >= 0.8 * (after - before)
    assert (shown.read_bytes, shown.process_list[0].read_bytes) == (None, None)
    assert any("Bytes of 1 process of another user could not be read." in one for one in shown.unseen)


def test_a_shell_can_record_itself_and_the_recorder_is_no_part_of_it(user: Someone) -> None:
    record = " ".join(user.command("record", "--name", "inner", "--pid"))
    script = f"{record} $$ & pid=$!; {BEGUN}; sleep 1; kill -TERM $pid; wait $pid; echo $?"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=user.environment(), check=False
    )

    assert done.stdout == "0\n"
    names = set(user.latest().query("SELECT name FROM processes")["name"])
    assert {"bash", "sleep"} <= names
    assert not any("python" in str(name) for name in names)


def test_process_of_a_run_can_be_recorded_as_a_run_of_its_own(user: Someone) -> None:
    record = " ".join(user.command("record", "--name", "inner", "--pid"))
    script = f"sleep 60 & pid=$!; {record} $pid & {BEGUN}; kill $pid; wait"

    done = user.record("bash", "-c", script, options=["--name", "outer"])

    assert done.returncode == 0
    assert sorted(path.name.split("-")[1] for path in user.runs.iterdir()) == ["inner", "outer"]


def test_kill_of_the_launcher_loses_nothing_but_the_end(user: Someone, worker: Worker) -> None:
    with attached(user, worker.pid) as (recorder, _):
        before, _ = worker.do("pass")
        after, _ = worker.do("burn(0.5)")
        recorder.kill()
        recorder.wait(30)
        wait_until(lambda: "broken" in (user.folder() / "run.json").read_text())

    run = user.latest()
    assert run.state == "broken"
    assert cpu_s(run) == pytest.approx(after - before, rel=0.2)
    assert lives(worker.pid)


def test_kill_of_the_agent_ends_the_recording_and_is_said(user: Someone, worker: Worker) -> None:
    with attached(user, worker.pid) as (recorder, _):
        children = Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        assert recorder.wait(30) == 125
        assert recorder.stderr is not None
        said = recorder.stderr.read()

    assert said == "longpole: the agent was killed by signal 9: samples after that are missing\n"
    assert user.latest().state == "broken"
    assert lives(worker.pid)


def test_opened_files_are_noted_where_that_is_permitted(user: Someone, worker: Worker) -> None:
    need("fanotify")
    path = user.runs.parent / "mine"
    with attached(user, worker.pid, options=["--files"]):
        worker.do(f"open({str(path)!r}, 'w').close()")

    assert str(path) in list(user.latest().query("SELECT name FROM files")["name"])


def test_files_that_may_not_be_watched_are_said_and_the_rest_is_recorded(
    nobody: Someone, worker: Worker
) -> None:
    with attached(nobody, worker.pid, options=["--files"]) as (recorder, _):
        worker.end()
        assert recorder.wait(30) == 0
        assert recorder.stderr is not None
        assert "--files was left out: fanotify is not permitted" in recorder.stderr.read()


def refused(someone: Someone, *arguments: str) -> str:
    """Attach in vain; return the one sentence that says why."""
    command = someone.command("record", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, env=someone.environment(), check=False)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1
    assert list(someone.runs.iterdir()) == []
    return done.stderr


def test_process_that_is_not_there_is_125_and_leaves_no_run(anyone: Someone) -> None:
    assert refused(anyone, "--pid", "999999999") == "longpole: There is no process 999999999.\n"


def test_one_of_several_that_is_not_there_is_125(user: Someone, worker: Worker) -> None:
    assert "no process 999999999" in refused(user, "--pid", str(worker.pid), "--pid", "999999999")


def test_runs_folder_that_cannot_be_written_is_125(user: Someone, worker: Worker) -> None:
    said = refused(user, "--runs", "/proc/nope", "--pid", str(worker.pid))

    assert said == "longpole: Cannot write a run into /proc/nope: No such file or directory.\n"


def test_the_recorder_itself_is_refused(user: Someone) -> None:
    inner = " ".join(user.command("record", "--pid", "$$"))
    done = subprocess.run(
        ["sh", "-c", f"exec {inner}"], capture_output=True, text=True, env=user.environment(), check=False
    )

    assert done.returncode == 125
    assert "is this recorder itself" in done.stderr
