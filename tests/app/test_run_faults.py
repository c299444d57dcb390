"""What goes wrong in runs of workflows: one clear message each, the right exit code, and a way to go on."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.images import MARKER, SAID, images
from tests.parts import need
from tests.recording import SOURCE
from tests.run.staging.relay import flip, relay
from tests.running import Bench, bench_of

FAILED, USAGE, INTERRUPTED = 1, 2, 130
_LONGEST_S = 60.0
HEAD = "longpole: 1\nname: faults\n"
# It stays for a while: where the kernel does not hold its memory, it is looked at now and then only.
ALLOCATE = """import sys, time
x = bytearray(int(sys.argv[1]) * 1_000_000)
x[::4096] = b'x' * len(x[::4096])
time.sleep(2)
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.fixture(params=["self", "nobody"])
def anyone(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench_of(nobody=request.param == "nobody") as made:
        yield made


def fail(bench: Bench, tasks: str, *options: str) -> str:
    """Run a workflow that fails; return what it says, as one line."""
    bench.write("faults.yaml", HEAD + tasks)
    done = bench.call("run", "faults.yaml", *options)
    assert done.returncode == FAILED, done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def wait_until(come: Callable[[], bool]) -> None:
    limit = time.monotonic() + _LONGEST_S
    while not come():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.005)


def statuses(bench: Bench, name: str) -> list[tuple[int, str]]:
    """Return attempts of a task and how each ended."""
    rows = bench.rows(f"SELECT attempt, status FROM phases WHERE kind = 'job' AND name = '{name}' ORDER BY 1")
    return [(int(attempt), str(status)) for attempt, status in rows]


# ------------------------------------------------------------------------------------------ tasks that fail


def test_a_failing_task_is_told_with_its_command_output_and_what_to_type(bench: Bench) -> None:
    told = fail(bench, 'tasks:\n  bad: {run: "echo this is why >&2; exit 3", outputs: [x]}\n')

    for fact in ("bad", "exit code 3", "echo this is why >&2; exit 3", "this is why", ".log", "--resume"):
        assert fact in told
    assert statuses(bench, "bad") == [(1, "failed")]


def test_a_missing_command(bench: Bench) -> None:
    direct = fail(bench, 'tasks:\n  bad: {run: "no-such-command-here a b"}\n')
    in_shell = fail(bench, 'tasks:\n  bad: {run: "no-such-command-here > x", outputs: [x]}\n')

    assert "no-such-command-here" in direct
    assert "was not found" in direct
    assert "not found" in in_shell


def test_an_output_that_was_not_made(bench: Bench) -> None:
    assert "did not make 'x.txt'" in fail(bench, 'tasks:\n  bad: {run: "true", outputs: [x.txt]}\n')


def test_a_timeout(bench: Bench) -> None:
    told = fail(bench, 'tasks:\n  slow: {run: "sleep 100; true", timeout: 0.2 s}\n')

    assert "longer than its timeout of 0.2 s" in told
    assert bench.processes() == [] or all(is_over(pid) for pid in bench.processes())


def is_over(pid: int) -> bool:
    return b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_task_killed_by_memory_is_told_and_tried_again_with_more(anyone: Bench) -> None:
    anyone.write("allocate.py", ALLOCATE)
    task = 'big: {run: "python allocate.py 150", code: [allocate.py], resources: {memory: 60 MB}'

    told = fail(anyone, f"tasks:\n  {task}}}\n")
    assert "ran out of memory" in told
    assert statuses(anyone, "big") == [(1, "failed")]

    anyone.write("faults.yaml", f"{HEAD}tasks:\n  {task}, retry: {{times: 3, memory: x2}}}}\n")
    anyone.run("faults.yaml")
    found = statuses(anyone, "big")
    assert found[0] == (1, "failed")
    assert found[-1][1] == "ok"


def test_other_branches_finish_when_going_on_beside_a_failure(bench: Bench) -> None:
    tasks = """
tasks:
  bad: {run: "exit 1", outputs: [bad.txt]}
  after: {run: "cat {a}", inputs: {a: bad.txt}}
  first: {run: "sleep 0.3; echo good > {out}", outputs: {out: good.txt}}
  second: {run: "cat {a} > {out}", inputs: {a: good.txt}, outputs: {out: best.txt}}
results: [best.txt]
"""
    fail(bench, tasks, "--keep-going")

    assert (bench.results / "best.txt").read_text() == "good\n"
    assert dict(bench.rows("SELECT name, outcome FROM tasks WHERE name IN ('bad', 'after', 'second')")) == {
        "bad": "ran",
        "after": "skipped",
        "second": "ran",
    }


def test_a_full_scratch_disk(bench: Bench) -> None:
    need("root")
    scratch = bench.folder / "small"
    scratch.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(scratch)], check=True)
    try:
        task = 'tasks:\n  big: {run: "head -c 4000000 /dev/zero > {out}", outputs: {out: big.bin}}\n'
        told = fail(bench, task, "--scratch", str(scratch))
        staged = fail_to_stage(bench, scratch)
    finally:
        subprocess.run(["umount", "-l", str(scratch)], check=True)

    assert "No space left on device" in told
    assert "No room for large.bin" in staged


def fail_to_stage(bench: Bench, scratch: Path) -> str:
    (bench.folder / "large.bin").write_bytes(bytes(4_000_000))
    task = 'tasks:\n  big: {run: "wc -c {a} > {out}", inputs: {a: large.bin}, outputs: {out: n.txt}}\n'
    return fail(bench, task, "--scratch", str(scratch), "--placement", "baseline")


# ------------------------------------------------------------------------------------------ containers


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    need("bwrap")
    with images() as folder:
        yield folder


def test_a_job_runs_in_its_image_and_sees_only_its_folder(anyone: Bench, image: Path) -> None:
    anyone.write("in.txt", "input\n")
    anyone.write("other.txt", "not for this job\n")
    script = f"cat {MARKER} > {{out}}; ls > seen.txt; ls {anyone.folder} > outside.txt 2>&1 || true"
    spoil = "(echo spoilt > {a}) 2> spoiling.txt || echo kept >> spoiling.txt; cat {a} >> {out}"
    anyone.write(
        "boxed.yaml",
        f"""{HEAD}tasks:
  boxed:
    image: {image / "root"}
    inputs: {{a: in.txt}}
    run: "{script}; {spoil}"
    outputs: {{out: out.txt, all: [seen.txt, outside.txt, spoiling.txt]}}
""",
    )
    anyone.run("boxed.yaml")

    assert (anyone.results / "out.txt").read_text() == f"{SAID}input\n"
    assert "other.txt" not in (anyone.results / "seen.txt").read_text()
    assert "other.txt" not in (anyone.results / "outside.txt").read_text()
    assert (anyone.results / "spoiling.txt").read_text().endswith("kept\n")
    assert (anyone.folder / "in.txt").read_text() == "input\n"
    assert anyone.rows("SELECT count(*), min(duration_ns) > 0 FROM phases WHERE kind = 'container'") == [
        (1, True)
    ]


@pytest.mark.parametrize("placement", ["baseline", "container-installed", "clustering", "shared-fs"])
def test_a_packed_image_works_under_every_placement(bench: Bench, image: Path, placement: str) -> None:
    need("squashfs")
    task = f"{{image: {image / 'root.image'}, run: 'cat {MARKER} > {{out}}', outputs: {{out: o.txt}}}}"
    bench.write("boxed.yaml", f"{HEAD}tasks:\n  boxed: {task}\n")
    bench.run("boxed.yaml", "--placement", placement)

    assert (bench.results / "o.txt").read_text() == SAID
    assert bench.mounts() == []


@pytest.mark.parametrize("kind", ["absent", "no image", "cut off"])
def test_a_wrong_image(bench: Bench, image: Path, kind: str) -> None:
    wrong = bench.folder / "wrong.image"
    if kind == "no image":
        wrong.write_text("this is no image")
    elif kind == "cut off":
        need("squashfs")
        wrong.write_bytes((image / "root.image").read_bytes()[:5000])
    bench.write("faults.yaml", f"{HEAD}tasks:\n  boxed: {{image: {wrong}, run: 'cat {MARKER}'}}\n")

    done = bench.call("run", "faults.yaml")

    assert done.returncode in (FAILED, USAGE)
    assert str(wrong) in "".join(done.stderr.split("\n"))
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------------------------------ not even begun


CYCLE = """
tasks:
  a: {run: "cat {y} > x", inputs: {y: y}, outputs: [x]}
  b: {run: "cat {x} > y", inputs: {x: x}, outputs: [y]}
"""
WRONG: dict[str, tuple[str, list[str]]] = {
    "broken YAML": ("tasks: {a: [", []),
    "no task": ("tasks: {}", []),
    "cycle": (CYCLE, []),
    "unknown parameter": ('tasks:\n  a: {run: "true"}\n', ["--set", "nothing=1"]),
    "unknown key": ('tasks:\n  a: {rum: "true"}\n', []),
    "missing input": ('tasks:\n  a: {run: "cat {i}", inputs: {i: nowhere.txt}}\n', []),
    "too many cores": ('tasks:\n  a: {run: "true", resources: {cores: 100000}}\n', []),
    "too many GPUs": ('tasks:\n  a: {run: "true", resources: {gpus: 1000}}\n', []),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_run_is_told_in_a_sentence_and_leaves_no_run(bench: Bench, kind: str) -> None:
    text, options = WRONG[kind]
    bench.write("faults.yaml", HEAD + text)

    done = bench.call("run", "faults.yaml", *options)

    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith("longpole: ") or "faults.yaml" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3
    assert bench.runs() == []


@pytest.mark.parametrize("option", ["--work", "--scratch", "--out", "--runs"])
def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(option: str) -> None:
    with bench_of(nobody=True) as bench:
        bench.write("faults.yaml", f'{HEAD}tasks:\n  a: {{run: "echo a > x", outputs: [x]}}\n')
        done = bench.call("run", "faults.yaml", option, "/proc/nobody-may-write-here")
        assert bench.runs() == []

    assert done.returncode == USAGE
    assert "/proc/nobody-may-write-here" in "".join(done.stderr.split("\n"))
    assert "Traceback" not in done.stderr


def test_results_cannot_go_below_a_file(bench: Bench) -> None:
    bench.write("faults.yaml", f'{HEAD}tasks:\n  a: {{run: "echo a > x", outputs: [x]}}\n')

    done = bench.call("run", "faults.yaml", "--out", "faults.yaml/results")

    assert done.returncode == USAGE
    assert "faults.yaml is no folder. Choose another with --out." in " ".join(done.stderr.split())
    assert bench.runs() == []


def test_a_workflow_that_is_not_there(bench: Bench) -> None:
    assert bench.call("run", "nowhere.yaml").returncode == USAGE
    assert bench.runs() == []


# ------------------------------------------------------------------------------------------ stopping


SLOW = f"""{HEAD}
sets: {{n: {{values: [1, 2, 3, 4, 5, 6]}}}}
parameters: {{gate: .}}
tasks:
  quick: {{for_each: [n], run: "echo {{n}} > {{out}}", outputs: {{out: "quick/{{n}}.txt"}}}}
  slow:
    for_each: [n]
    inputs: {{a: "quick/{{n}}.txt"}}
    run: "touch {{gate}}/begun-{{n}}; while test ! -e {{gate}}/open; do sleep 0.05; done; cat {{a}} > {{out}}"
    outputs: {{out: "slow/{{n}}.txt"}}
  last: {{inputs: {{a: "slow/{{n}}.txt"}}, run: "cat {{a}} > {{out}}", outputs: {{out: last.txt}}}}
results: [last.txt]
"""
STUBBORN = SLOW.replace("touch {gate}", "trap '' TERM; touch {gate}")


def begin(bench: Bench, text: str = SLOW) -> subprocess.Popen[bytes]:
    """Start a workflow whose tasks wait for a gate, and wait until some do."""
    bench.write("slow.yaml", text)
    running = bench.start("run", "slow.yaml", "--set", f"gate={bench.folder}")
    wait_until(lambda: any(bench.folder.glob("begun-*")))
    return running


def left(bench: Bench) -> list[bytes]:
    """Return what is left of tasks."""
    found = []
    for pid in bench.processes():
        try:
            if b"LONGPOLE_JOB=" in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(Path(f"/proc/{pid}/cmdline").read_bytes())
        except OSError:
            pass  # it has just ended
    return found


def go_on_with(bench: Bench) -> None:
    """Open the gate, go on, and check that all was made and nothing twice that was committed."""
    done_before = {number for number, job in bench.log().jobs.items() if job.committed}
    (bench.folder / "open").touch()
    bench.run("--resume")

    assert (bench.results / "last.txt").read_text() == "1\n2\n3\n4\n5\n6\n"
    log = bench.log()
    assert all(log.jobs[number].attempts == 1 for number in done_before if not log.planned[number].auxiliary)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_run_cleanly_and_it_goes_on_later(anyone: Bench, number: signal.Signals) -> None:
    running = begin(anyone)
    if number is signal.SIGINT:
        os.killpg(running.pid, number)  # as a terminal does
    else:
        os.kill(running.pid, number)

    assert running.wait(_LONGEST_S) == INTERRUPTED
    assert left(anyone) == []
    assert "Traceback" not in (anyone.folder / "said").read_text()
    go_on_with(anyone)


@pytest.mark.parametrize(("text", "times"), [(SLOW, 1), (STUBBORN, 2)])
def test_ctrl_c_on_a_terminal_stops_and_twice_at_once(bench: Bench, text: str, times: int) -> None:
    bench.write("slow.yaml", text)
    arguments = bench.someone.command("run", "slow.yaml", "--set", f"gate={bench.folder}")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(bench.folder)
        os.execvpe(arguments[0], arguments, bench.environment({"TERM": "xterm"}))
    seen = bytearray()
    wait_until(lambda: see(terminal, seen) and any(bench.folder.glob("begun-*")))
    os.write(terminal, b"\x03")
    if times > 1:
        wait_until(lambda: see(terminal, seen) and b"stopping" in seen)
        time.sleep(0.5)
        os.write(terminal, b"\x03")
    wait_until(lambda: see(terminal, seen) and has_ended(pid))
    _, status = os.waitpid(pid, 0)
    os.close(terminal)

    assert os.waitstatus_to_exitcode(status) == INTERRUPTED, seen.decode()
    assert left(bench) == []
    go_on_with(bench)


def has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def see(terminal: int, seen: bytearray) -> bool:
    """Read what was shown, so that nobody waits for us to do so."""
    while select.select([terminal], [], [], 0)[0]:
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break  # everybody has left
    return True


def test_a_second_signal_ends_stubborn_tasks_at_once(bench: Bench) -> None:
    running = begin(bench, STUBBORN)
    began = time.monotonic()
    os.killpg(running.pid, signal.SIGINT)
    wait_until(lambda: "stopping" in (bench.folder / "said").read_text())
    time.sleep(0.5)  # what comes at once is taken for one and the same
    os.killpg(running.pid, signal.SIGINT)

    assert running.wait(_LONGEST_S) == INTERRUPTED
    assert time.monotonic() - began < 9  # tasks that do not end when asked have ten seconds
    assert left(bench) == []
    go_on_with(bench)


def test_two_runs_do_not_share_a_work_folder_and_none_is_resumed_while_it_runs(bench: Bench) -> None:
    running = begin(bench)

    log_request = bench.log().sessions[-1].driver.request
    folder = log_request.split('"work":"')[1].split('"')[0]
    other = bench.call("run", "slow.yaml", "--work", folder)
    again = bench.call("run", "--resume")
    (bench.folder / "open").touch()

    assert running.wait(_LONGEST_S) == 0
    assert (other.returncode, again.returncode) == (USAGE, USAGE)
    assert "Another run works in" in " ".join(other.stderr.split())
    assert "still running" in again.stderr
    assert len(bench.runs()) == 1


# ------------------------------------------------------------------------------------------ changed meanwhile


def test_a_workflow_that_is_gone_cannot_be_gone_on_with_but_its_run_stays(bench: Bench) -> None:
    running = begin(bench)
    os.killpg(running.pid, signal.SIGINT)
    running.wait(_LONGEST_S)
    (bench.folder / "slow.yaml").rename(bench.folder / "hidden.yaml")
    gone = bench.call("run", "--resume")
    (bench.folder / "hidden.yaml").rename(bench.folder / "slow.yaml")

    assert gone.returncode == USAGE
    assert "slow.yaml" in gone.stderr
    assert len(bench.runs()) == 1
    go_on_with(bench)


def test_a_changed_command_counts_for_what_was_not_committed(bench: Bench) -> None:
    running = begin(bench)
    os.killpg(running.pid, signal.SIGINT)
    running.wait(_LONGEST_S)
    log = bench.log()
    kept = {log.planned[number].name for number, job in log.jobs.items() if job.committed}
    (bench.folder / "open").touch()
    changed = SLOW.replace("echo {n} >", "echo other >").replace("cat {a} > {out}", "cat {a} {a} > {out}")
    bench.write("slow.yaml", changed)
    bench.run("--resume")

    lines = [str(number) if f"quick n={number}" in kept else "other" for number in range(1, 7)]
    assert any(line != "other" for line in lines)
    assert sorted((bench.results / "last.txt").read_text().split()) == sorted(4 * lines)


# ------------------------------------------------------------------------------------------ on the way


# Put behind the server's own code in a copy of the package: jobs are told of who stands between.
BETWEEN = """
import time

_start = FileServer.__init__


def _start_behind(self, *given, **named):
    _start(self, *given, **named)
    place = os.environ["BETWEEN"]
    with open(f"{place}/server.new", "w") as file:
        file.write(self.url)
    os.rename(f"{place}/server.new", f"{place}/server")
    while not os.path.exists(f"{place}/relay"):
        time.sleep(0.005)
    with open(f"{place}/relay") as file:
        self.url = file.read()


FileServer.__init__ = _start_behind
"""


@pytest.mark.parametrize(("checksums", "kept"), [("on", True), ("off", False)])
def test_a_bit_that_flips_on_the_way_is_fetched_again(bench: Bench, checksums: str, kept: bool) -> None:
    text = "0123456789" * 5000
    bench.write("in.txt", text)
    bench.write("copy.yaml", f"{HEAD}tasks:\n  copy: {COPY}\n")
    between = bench.folder / "between"
    between.mkdir()
    harmed = replace(bench, someone=replace(bench.someone, source=behind_a_relay(bench)))

    options = ("--placement", "baseline", "--checksums", checksums)
    running = harmed.start("run", "copy.yaml", *options, env={"BETWEEN": str(between)})
    wait_until(lambda: (between / "server").exists() or running.poll() is not None)
    with relay((between / "server").read_text(), down=flip(20_000, range(1))) as one:
        (between / "relay.new").write_text(one.url)
        (between / "relay.new").rename(between / "relay")
        code = running.wait(_LONGEST_S)

    assert code == 0, (bench.folder / "said").read_text()
    assert ((bench.results / "out.txt").read_text() == text) is kept


COPY = '{run: "cat {a} > {out}", inputs: {a: in.txt}, outputs: {out: out.txt}}'


def behind_a_relay(bench: Bench) -> Path:
    """Return a copy of our package whose server of files waits for who stands between it and jobs."""
    source = bench.folder / "src"
    shutil.copytree(SOURCE / "longpole", source / "longpole", ignore=shutil.ignore_patterns("__pycache__"))
    with (source / "longpole" / "run" / "staging" / "server.py").open("a") as file:
        file.write(BETWEEN)
    return source
