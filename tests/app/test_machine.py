from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import tomllib

import pytest

HERE = socket.gethostname()
QUICK = ("--only", "process,cpu", "--seconds", "1")


@pytest.fixture
def machine(call, tmp_path):
    """A function that calls ``longpole machine`` of a user who has no machines yet."""
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "LONGPOLE_MACHINES": ""}
    return lambda *arguments: call("machine", *arguments, **environment)


def own(tmp_path, name=HERE):
    return tmp_path / "config" / "longpole" / "machines" / f"{name}.toml"


def test_a_measured_machine_is_shown_kept_and_known_by_its_name(machine, tmp_path):
    done = machine("measure", *QUICK)

    assert done.returncode == 0
    assert "process" in done.stdout
    assert done.stderr.splitlines()[0] == f"Written to {own(tmp_path)}."
    assert "longpole roofline" in done.stderr
    written = tomllib.loads(own(tmp_path).read_text())
    assert (written["name"], written["nodes"], set(written["node"])) == (HERE, 1, {"cpu"})
    shown = machine("show", HERE)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "cpu (CPU time)" in shown.stdout
    assert f" {HERE} " in machine("show").stdout


def test_json_has_every_repeat(machine, tmp_path):
    done = machine("measure", "--json", *QUICK)

    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr, told["schema_version"]) == (0, "", 1)
    assert told["path"] == str(own(tmp_path))
    process = next(one for one in told["measured"] if one["name"] == "process")
    assert len(process["values"]) >= 5
    assert process["best"] == min(process["values"])
    assert told["machine"]["overheads"]["process"]["source"].startswith("measured")
    shown = json.loads(machine("show", HERE, "--json").stdout)
    assert shown["machine"]["overheads"]["process"] == told["machine"]["overheads"]["process"]


def test_measuring_again_replaces_what_was_measured_here_and_keeps_the_rest(machine, tmp_path):
    machine("measure", *QUICK, "--nodes", "3")
    text = own(tmp_path).read_text()
    own(tmp_path).write_text(text + '\n[system]\nfile-system = "5 GB/s"\n')

    done = machine("measure", "--only", "cpu", "--seconds", "1")

    assert done.stderr.startswith(f"Replaced the earlier measurement in {own(tmp_path)}")
    assert "kept: file-system, process" in done.stderr
    written = tomllib.loads(own(tmp_path).read_text())
    assert (written["nodes"], written["system"]["file-system"]) == (3, "5 GB/s")


def test_the_file_of_another_machine_is_not_replaced_unasked(machine, tmp_path):
    file = tmp_path / "other.toml"
    file.write_text('name = "other"\nnodes = 7\n')

    done = machine("measure", "--out", str(file), *QUICK)

    assert (done.returncode, done.stdout) == (2, "")
    assert "is another machine ('other')" in done.stderr
    assert "nodes = 7" in file.read_text()
    assert machine("measure", "--out", str(file), "--force", "--name", "new", *QUICK).returncode == 0
    assert tomllib.loads(file.read_text())["name"] == "new"


def test_a_file_that_is_no_machine_is_not_replaced_unasked(machine, tmp_path):
    file = tmp_path / "thesis.txt"
    file.write_text("Do not lose this.")

    done = machine("measure", "--out", str(file), *QUICK)

    assert done.returncode == 2
    assert file.read_text() == "Do not lose this."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["measure", "--only", "warp"], "There is no 'warp' to measure"),
        (["measure", "--only", "network"], "give --host"),
        (["measure", "--host", "node:x"], "is not a host with a port"),
        (["measure", "--folder", "/no/such"], "There is no folder /no/such"),
        (["measure", "--name", "a/b"], "cannot be the name of a machine"),
        (["measure", "--out", "/"], "is a folder"),
        (["measure", "--nodes", "0"], "--nodes"),
        (["show", "no-such"], "There is no machine 'no-such'"),
        (["show", "/no/such.toml"], "/no/such.toml"),
        (["serve", "--address", "256.1.1.1"], "Cannot listen on 256.1.1.1"),
        (["nosuch"], "nosuch"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(machine, arguments, said):
    done = machine(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_measured_is_one_sentence_and_exit_code_3(machine, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    done = machine("measure", "--only", "network", "--host", f"127.0.0.1:{port}", "--seconds", "1")

    assert (done.returncode, done.stdout) == (3, "")
    assert "Nothing could be measured." in done.stderr
    assert "Run 'longpole machine serve' there." in done.stderr
    assert not own(tmp_path).exists()


def test_a_host_that_cannot_be_reached_is_left_out(machine):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    done = machine("measure", "--only", "cpu,network", "--host", f"127.0.0.1:{port}", "--seconds", "1")

    assert done.returncode == 0
    assert "Left out: network." in done.stdout


def test_files_in_memory_are_left_out_and_no_file_stays(machine, tmp_path):
    names = "disk-read,cached-read,metadata,cpu"
    before = set(os.listdir("/dev/shm"))

    done = machine("measure", "--only", names, "--folder", "/dev/shm", "--seconds", "1")

    assert done.returncode == 0
    assert "Left out: disk-read, cached-read, metadata." in " ".join(done.stdout.split())
    assert not [name for name in set(os.listdir("/dev/shm")) - before if name.startswith(".longpole")]


def end_of(process: subprocess.Popen[str]) -> int:
    """Return how a process ends that was asked to; one that does not is killed, and nobody waits for ever."""
    try:
        return process.wait(60)
    finally:
        process.kill()


def test_the_network_is_measured_to_a_node_that_serves(machine, recorded):
    command = recorded.command("machine", "serve", "--port", "0")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=recorded.environment()) as serving:
        assert serving.stderr is not None
        address = serving.stderr.readline().split()[2]
        done = machine("measure", "--only", "network", "--host", address, "--seconds", "1", "--json")
        serving.send_signal(signal.SIGINT)
        ended = end_of(serving)

    network = json.loads(done.stdout)["machine"]["system"]["network"]
    assert (done.returncode, ended) == (0, 0)
    assert network["nominal"] > 1e6
    assert network["per_node"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_in_the_folder_after_a_signal(recorded, tmp_path, number):
    options = [
        "--only",
        "metadata,disk-write",
        "--folder",
        str(tmp_path),
        "--out",
        str(tmp_path / "out.toml"),
    ]
    command = recorded.command("machine", "measure", *options)
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=recorded.environment()
    ) as measuring:
        until = time.monotonic() + 30
        while not (begun := list(tmp_path.glob(".longpole-*/*"))) and time.monotonic() < until:
            pass
        measuring.send_signal(number)
        ended = end_of(measuring)

    assert begun
    assert (ended, os.listdir(tmp_path)) == (128 + number, [])


def test_without_a_word_more_it_explains_itself(machine):
    done = machine()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: longpole machine")
    assert all(name in done.stdout for name in ("measure", "show", "serve"))


def test_where_no_machine_is_known_it_says_what_to_do(machine):
    done = machine("show")

    assert done.returncode == 0
    assert "machine" in (done.stdout + done.stderr).lower()


def test_a_time_that_is_no_number_is_refused(capsys):
    from longpole.app.main import cli

    assert cli(["machine", "measure", "--seconds", "nan"]) == 2

    assert "--seconds" in capsys.readouterr().err
