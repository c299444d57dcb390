"""The launcher: a recorded command behaves as it would without us."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.recording import Someone


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_exit_code_is_the_commands_own(anyone: Someone, code: int) -> None:
    done = anyone.record("sh", "-c", f"exit {code}")

    assert done.returncode == code
    assert done.stderr == ""
    assert anyone.latest().manifest.exit_code == code


@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "INT", "USR1"])
def test_death_by_signal_is_seen_by_a_shell_as_without_us(anyone: Someone, name: str) -> None:
    number = signal.Signals[f"SIG{name}"]
    inner = " ".join(anyone.command("record", "--", "sh", "-c", f"'kill -{name} $$'"))

    recorded = subprocess.run(
        ["sh", "-c", f"{inner}; echo $?"],
        capture_output=True,
        text=True,
        env=anyone.environment(),
        check=False,
    )

    assert recorded.stdout.strip() == str(128 + number)
    manifest = anyone.latest().manifest
    assert (manifest.exit_code, manifest.signal) == (128 + number, number)


def test_death_by_signal_is_a_death_by_that_signal_to_our_parent(user: Someone) -> None:
    assert user.record("sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM


def test_unknown_command_is_127_and_leaves_no_run(anyone: Someone) -> None:
    done = anyone.record("nosuch-command")

    assert done.returncode == 127
    assert done.stderr == "longpole: Cannot run 'nosuch-command': command not found.\n"
    assert list(anyone.runs.iterdir()) == []


def test_file_that_may_not_be_executed_is_126(anyone: Someone) -> None:
    assert anyone.record("/etc/passwd").returncode == 126
    assert anyone.record("/etc").returncode == 126


def test_program_that_the_kernel_refuses_is_126_and_leaves_no_run(user: Someone) -> None:
    broken = user.runs.parent / "broken"
    broken.write_bytes(b"#!/no/such/interpreter\n")
    broken.chmod(0o755)

    done = user.record(str(broken))

    assert done.returncode == 127
    assert list(user.runs.iterdir()) == []


def test_script_without_first_line_is_run_by_sh(user: Someone) -> None:
    script = user.runs.parent / "plain-script"
    script.write_text("echo hello from $0; exit 7\n")
    script.chmod(0o755)

    done = user.record(str(script))

    assert (done.returncode, done.stdout) == (7, f"hello from {script}\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "There is no command to record."),
        (("--nosuch", "true"), "There is no option '--nosuch'."),
        (("--rate", "0", "true"), "--rate needs a number from 0.1 to 100, not '0'."),
        (("--disk", "many", "true"), "'many' is not a size."),
        (("--name",), "Option '--name' needs a value."),
    ],
)
def test_wrong_use_is_125_and_one_sentence(user: Someone, arguments: tuple[str, ...], complaint: str) -> None:
    done = subprocess.run(
        user.command("record", *arguments),
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )

    assert done.returncode == 125
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_streams_and_extra_descriptors_are_the_commands_own(user: Someone) -> None:
    reading, writing = os.pipe()
    done = subprocess.run(
        user.command("record", "--", "bash", "-c", f"cat; echo err >&2; echo extra >&{writing}"),
        input="through\n",
        capture_output=True,
        text=True,
        env=user.environment(),
        pass_fds=[writing],
        check=False,
    )
    os.close(writing)

    assert (done.stdout, done.stderr) == ("through\n", "err\n")
    assert os.read(reading, 100) == b"extra\n"
    assert os.read(reading, 100) == b""  # nobody holds the other end any more
    os.close(reading)


def test_signal_dispositions_of_python_are_not_inherited(user: Someone) -> None:
    ignored = user.record("grep", "SigIgn", "/proc/self/status").stdout.split()[1]
    blocked = user.record("grep", "SigBlk", "/proc/self/status").stdout.split()[1]

    assert int(ignored, 16) & (1 << (signal.SIGPIPE - 1)) == 0
    assert int(blocked, 16) == 0


IGNORING = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
TELLING = "import signal, sys; print(signal.getsignal(signal.SIGCHLD).name); sys.exit(5)"


def test_parent_that_ignores_its_children_makes_no_difference(user: Someone) -> None:
    inner = user.command("record", "--", sys.executable, "-c", TELLING)
    command = [sys.executable, "-c", IGNORING, *inner]
    done = subprocess.run(command, capture_output=True, text=True, env=user.environment(), check=False)

    assert (done.returncode, done.stdout) == (5, "SIG_IGN\n")


def test_signal_sent_to_the_launcher_reaches_the_command(anyone: Someone) -> None:
    script = "trap 'echo got; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    process = anyone.start("sh", "-c", script)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    process.terminate()
    out, _ = process.communicate(timeout=20)

    assert (out, process.returncode) == ("got\n", 5)


COUNTING = """
import signal, sys, time
count = 0
def more(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, more)
print('ready', flush=True)
end = time.monotonic() + 1.0
while time.monotonic() < end:
    time.sleep(0.05)
print('interrupts', count, sys.stdin.isatty(), sys.stdout.isatty(), flush=True)
"""


def test_interrupt_from_the_terminal_reaches_the_command_once(user: Someone) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(
            sys.executable, user.command("record", "--", sys.executable, "-c", COUNTING), user.environment()
        )
    text = _read_until(terminal, b"ready")
    os.write(terminal, b"\x03")
    text += _read_until(terminal, b"interrupts")
    _, status = os.waitpid(child, 0)

    assert b"interrupts 1 True True" in text
    assert os.waitstatus_to_exitcode(status) == 0


def test_interactive_shell_works_under_a_terminal(user: Someone) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(
            sys.executable, user.command("record", "--", "sh", "-i"), {**user.environment(), "PS1": "> "}
        )
    _read_until(terminal, b">")
    os.write(terminal, b"echo $((6 * 7)); stty size >/dev/null && echo tty\n")
    text = _read_until(terminal, b"\ntty")
    os.write(terminal, b"exit 9\n")
    _read_until(terminal, b"never")
    _, status = os.waitpid(child, 0)

    assert b"42" in text
    assert os.waitstatus_to_exitcode(status) == 9


def _read_until(terminal: int, wanted: bytes) -> bytes:
    text = b""
    deadline = time.monotonic() + 20
    while wanted not in text and time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            piece = os.read(terminal, 4096) if ready else b""
        except OSError:
            break
        text += piece
    return text + (_read_line(terminal) if wanted == b"interrupts" else b"")


def _read_line(terminal: int) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        try:
            text += os.read(terminal, 1)
        except OSError:
            break
    return text


def test_processes_left_behind_are_waited_for_a_while_and_then_left(user: Someone) -> None:
    began = time.monotonic()
    done = user.record("sh", "-c", "sleep 30 >/dev/null 2>&1 & echo $!", options=["--linger", "0.3"])

    assert done.returncode == 0
    assert time.monotonic() - began < 20
    os.kill(int(done.stdout), signal.SIGKILL)
    assert user.latest().manifest.left_behind == 1


def test_record_inside_a_recorded_command_joins_its_run(user: Someone) -> None:
    inside = f"{user.python} -m longpole record"
    done = user.record("sh", "-c", f"{inside} --name inner -- sh -c 'exit 3'; {inside} -- true")

    assert done.returncode == 0
    assert len(list(user.runs.iterdir())) == 1
    rows = list(
        user.latest().query("SELECT name, status FROM phases WHERE kind = 'command' ORDER BY name").records()
    )
    assert rows == [{"name": "inner", "status": "failed"}, {"name": "true", "status": "ok"}]


def test_bytes_that_are_no_text_are_spelt_out(user: Someone) -> None:
    command = [
        *map(os.fsencode, user.command("record", "--name")),
        b"b\xff",
        b"--",
        b"sh",
        b"-c",
        b"true #\xff",
    ]
    done = subprocess.run(command, env=user.environment(), check=False)

    assert done.returncode == 0
    manifest = user.latest().manifest
    assert (manifest.name, manifest.command[-1]) == ("b\\xff", "true #\\xff")


@pytest.mark.parametrize("closing", [">&-", "<&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_stream_changes_nothing(user: Someone, closing: str) -> None:
    inner = " ".join(user.command("record", "--", "sh", "-c", "'exit 3'"))
    command = ["sh", "-c", f"{inner} {closing}"]
    done = subprocess.run(command, capture_output=True, text=True, env=user.environment(), check=False)

    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_empty_command_is_not_found(user: Someone) -> None:
    assert user.record("").returncode == 127


def test_hang_up_of_the_terminal_reaches_the_command(user: Someone) -> None:
    child, terminal = pty.fork()
    if child == 0:
        command = user.command("record", "--", "sh", "-c", "echo here; exec sleep 60")
        os.execvpe(sys.executable, command, user.environment())
    _read_until(terminal, b"here")
    os.close(terminal)
    _, status = os.waitpid(child, 0)

    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGHUP


def test_command_that_stops_itself_gives_the_prompt_back(user: Someone) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("bash", ["bash", "--norc", "-i"], {**user.environment(), "PS1": "> "})
    _read_until(terminal, b">")
    inner = " ".join(user.command("record", "--", "bash", "-c", "'kill -STOP $$; echo resumed'"))
    os.write(terminal, f"{inner}\n".encode())
    text = _read_until(terminal, b"Stopped")
    os.write(terminal, b"fg\n")
    text += _read_until(terminal, b"\nresumed")
    os.write(terminal, b"exit\n")
    _read_until(terminal, b"never")
    os.waitpid(child, 0)

    assert b"Stopped" in text
    assert b"resumed" in text
