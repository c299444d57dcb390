from __future__ import annotations

import json
import subprocess
import time

import pytest

from tests.analyse.test_overview import KEYS
from tests.recording import Someone

PHASE_KEYS = {"kind", "name", "count", "total_s", "share"}
HOST_KEYS = {
    *("cpu_busy_percent", "others_cpu_percent", "network_rx_bytes", "network_tx_bytes"),
    *("disk_read_bytes", "disk_written_bytes"),
}
STEP_KEYS = [
    *("process", "pid", "rank", "world", "kind", "name", "count", "mean_s", "p50_s", "p95_s"),
    *("data_s", "forward_s", "backward_s", "optimizer_s", "checkpoint_s", "other_s", "total_s"),
]
WAITING = "import sys, longpole\nwith longpole.phase('wait'):\n  print('here', flush=True); sys.stdin.read()"


def test_json_has_what_others_rely_on(call):
    done = call("show", "--json")
    shown = json.loads(done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert list(shown)[: len(KEYS)] == KEYS
    assert (shown["schema_version"], shown["name"], shown["exit_code"]) == (1, "work", 0)
    assert (shown["signal"], shown["trials"], shown["state"]) == (None, [], "finished")
    assert [list(steps) for steps in shown["steps"]] == [STEP_KEYS]
    assert all(set(phase) == PHASE_KEYS for phase in shown["phases"])
    assert set(shown["host"]) == HOST_KEYS
    assert set(shown["recording"]) == {"cpu_s", "percent"}
    assert shown["makespan_s"] > 0


def test_phases_are_counted_and_their_shares_sum_to_one(call):
    phases = json.loads(call("show", "--json").stdout)["phases"]

    marked = [phase for phase in phases if phase["kind"] != "import"]  # on a busy machine imports take long
    counts = {(phase["kind"], phase["name"]): phase["count"] for phase in marked}
    assert counts == {("phase", "outer"): 1, ("step", "inner"): 5, ("phase", "thread"): 1}
    assert sum(phase["share"] for phase in phases) == pytest.approx(1.0)


def test_steps_that_were_marked_have_a_table_and_no_share(call):
    shown = json.loads(call("show", "--json").stdout)
    text, everything = call("show").stdout, call("show", "--all").stdout

    (steps,) = shown["steps"]
    assert (steps["kind"], steps["name"], steps["count"], steps["data_s"]) == ("training", "inner", 5, None)
    assert [phase["share"] for phase in shown["phases"] if phase["kind"] == "step"] == [0.0]
    assert "Training steps" in text
    assert "inner (step)" not in text
    assert "inner (step)" in everything
    assert "take no share" in everything


def test_bytes_of_the_tree_are_in_the_totals(call):
    shown = json.loads(call("show", "--json").stdout)

    assert shown["read_bytes"] >= 200_000
    assert shown["written_bytes"] >= 200_000
    assert shown["peak_memory_bytes"] > 1_000_000


def test_the_latest_run_is_shown_in_one_screen_without_colour(call):
    done = call("show")

    assert (done.returncode, done.stderr) == (0, "")
    assert " work " in done.stdout.splitlines()[1]
    assert "finished in" in done.stdout
    assert "Training steps" in done.stdout
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) <= 45
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("which", ["latest", "latest:work", "{id}", "{prefix}", "{path}"])
def test_a_run_is_found_by_any_of_its_names(call, recorded, which):
    identity = recorded.folder().name.rpartition("-")[2]
    wanted = which.format(id=identity, prefix=identity[:5], path=recorded.folder())

    assert json.loads(call("show", wanted, "--json").stdout)["run"] == identity


def test_a_run_that_is_not_there_is_a_sentence(call, tmp_path):
    for arguments in (["show", "nosuch"], ["show", "--runs", str(tmp_path)]):
        done = call(*arguments)

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("longpole: No run ")


def test_a_terminal_without_unicode_is_served(call):
    done = call("show", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert (done.returncode, done.stderr) == (0, "")
    assert "#" in done.stdout


def test_all_lists_more(call):
    assert "--all" in call("show").stdout
    assert "shown; --all" not in call("show", "--all").stdout


def test_a_failed_run_says_how(user):
    user.record("sh", "-c", "exit 7")
    user_shows = subprocess.run(
        user.command("show"), capture_output=True, text=True, env=user.environment(), check=True
    )

    assert "failed with exit code 7" in user_shows.stdout


def test_of_a_damaged_run_all_that_is_intact_is_shown(user):
    user.record("sh", "-c", "true; true")
    (log,) = (user.folder() / "log").iterdir()
    log.write_bytes(log.read_bytes()[:-1])

    done = subprocess.run(
        user.command("show"), capture_output=True, text=True, env=user.environment(), check=False
    )

    assert done.returncode == 3
    assert "records readable" in done.stdout
    assert done.stderr.startswith("longpole: This run is damaged, and what is intact was shown: ")
    assert " records readable" in done.stderr


def test_a_run_of_a_later_version_is_refused_with_a_sentence(user):
    user.record("true")
    (user.folder() / "run.json").write_text('{"schema_version": 99}')

    done = subprocess.run(
        user.command("show", str(user.folder())),
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert "has version 99" in done.stderr


def shown_so_far(user: Someone, *options: str) -> str:
    """Return what is shown of a run that goes on; at its very first moment there may be nothing yet."""
    command, limit = user.command("show", *options), time.monotonic() + 60
    while True:
        done = subprocess.run(command, capture_output=True, text=True, env=user.environment(), check=False)
        if done.returncode == 0:
            return done.stdout
        assert done.returncode == 3, done.stderr
        assert time.monotonic() < limit, done.stderr
        time.sleep(0.1)


def test_a_run_that_is_still_going_is_shown_so_far(user):
    with subprocess.Popen(
        user.command("record", "--", user.python, "-c", WAITING),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=user.environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        text, shown = (shown_so_far(user, *more) for more in ([], ["--json"]))
        process.communicate("")

    assert "still going" in text
    assert json.loads(shown)["state"] == "running"
    assert any("still going" in limit for limit in json.loads(shown)["limits"])
    assert process.returncode == 0
