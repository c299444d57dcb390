"""Totals of a process tree are exact: however short, static, orphaned or walled off its processes are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.store.run import StoredRun
from tests.parts import need
from tests.recording import Someone, total

READ, WRITTEN = 65536, 4096
PROGRAM = """
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[65536];
static void work(const char *path) {
    int in = open(path, O_RDONLY), out = open("/dev/null", O_WRONLY);
    if (read(in, buffer, 65536) != 65536 || write(out, buffer, 4096) != 4096) _exit(3);
    _exit(0);
}
int main(int count, char **given) {
    int orphans = !strcmp(given[1], "orphans"), many = atoi(given[3]);
    for (int i = 0; i < many; i++) {
        pid_t child = fork();
        if (!child) {
            if (orphans && fork()) _exit(0);
            work(given[2]);
        }
        waitpid(child, 0, 0);
    }
    return 0;
}
"""
DRIVER = """
import subprocess, sys
for _ in range(int(sys.argv[1])):
    subprocess.run(sys.argv[2:], check=True)
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that everyone can read, with the program built dynamic and static, and its input."""
    need("gcc")
    import tempfile

    with tempfile.TemporaryDirectory(prefix="longpole-programs-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "work.c").write_text(PROGRAM)
        for target, flags in (("dynamic", []), ("static", ["-static"])):
            subprocess.run(["gcc", "-O1", *flags, "-o", folder / target, folder / "work.c"], check=True)
        (folder / "input").write_bytes(b"x" * READ)
        (folder / "driver.py").write_text(DRIVER)
        yield folder


def check_totals(run: StoredRun, empty: StoredRun, count: int) -> None:
    """Compare with the same command doing nothing, which has what exec, the loader and Python read."""
    read = total(run, "read_bytes") - total(empty, "read_bytes")
    written = total(run, "written_bytes") - total(empty, "written_bytes")
    assert read == pytest.approx(count * READ, rel=0.001)
    assert written == pytest.approx(count * WRITTEN, rel=0.001)


@pytest.mark.parametrize("program", ["dynamic", "static"])
def test_short_processes(anyone: Someone, workshop: Path, program: str) -> None:
    command = [anyone.python, str(workshop / "driver.py"), "200", str(workshop / program), "plain"]
    least = []
    for reads in ("0", "0", "0", "1"):  # what Python reads to start is not always the same to a page or four
        anyone.record(*command, str(workshop / "input"), reads)
        least.append(anyone.latest())
    *empty, full = least

    check_totals(full, min(empty, key=lambda run: total(run, "read_bytes")), 200)


@pytest.mark.parametrize("count", [200, 5000])
def test_orphans_as_fast_as_they_come(anyone: Someone, workshop: Path, count: int) -> None:
    command = [str(workshop / "static"), "orphans", str(workshop / "input")]
    anyone.record(*command, "0")
    empty = anyone.latest()

    anyone.record(*command, str(count))

    check_totals(anyone.latest(), empty, count)


def test_new_pid_namespace(anyone: Someone, workshop: Path) -> None:
    need("userns")
    fresh = ["unshare", *([] if not anyone.prefix else ["--user"]), "--pid", "--fork"]
    command = [*fresh, str(workshop / "static"), "plain", str(workshop / "input")]
    anyone.record(*command, "0")
    empty = anyone.latest()

    anyone.record(*command, "200")

    check_totals(anyone.latest(), empty, 200)


def test_children_of_a_parent_that_ignores_them_are_counted_by_exit_records(
    user: Someone, workshop: Path
) -> None:
    need("taskstats")
    work = f"{workshop / 'static'} plain {workshop / 'input'} 1"
    script = (
        "import signal, subprocess\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        f"for _ in range(50): subprocess.run('{work}'.split())"
    )

    user.record(user.python, "-c", script)

    assert total(user.latest(), "written_bytes") >= 50 * WRITTEN


def test_every_process_is_listed_where_exit_records_are_permitted(user: Someone, workshop: Path) -> None:
    need("taskstats")
    user.record(str(workshop / "static"), "plain", str(workshop / "input"), "200")

    rows = user.latest().query("SELECT count(*) AS n, count(DISTINCT id) AS ids FROM processes")

    assert (rows["n"][0], rows["ids"][0]) == (201, 201)


def test_cpu_time_is_what_the_processes_used(anyone: Someone) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    script = f"import subprocess, sys\nfor _ in range(3): subprocess.run([sys.executable, '-c', {burn!r}])"

    anyone.record(anyone.python, "-c", script)

    run = anyone.latest()
    used = (total(run, "cpu_user_ns") + total(run, "cpu_system_ns")) / 1e9
    assert 0.9 <= used <= 2.5
