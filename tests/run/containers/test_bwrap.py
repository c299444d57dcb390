"""What bubblewrap keeps a job from, beyond what every runtime does; and which images it refuses."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from longpole.model.containers import ContainerError, Inside
from longpole.run.containers.bwrap import Bubblewrap
from tests.images import make_root
from tests.parts import need
from tests.recording import Someone


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    need("bwrap")
    return str(make_root(tmp_path_factory.mktemp("image") / "root"))


def run(
    root: str, folder: Path, script: str, someone: Someone | None = None
) -> subprocess.CompletedProcess[str]:
    runtime = Bubblewrap()
    command = runtime.command(runtime.prepare(root), Inside(str(folder)), ["/bin/sh", "-c", script])
    prefix = someone.prefix if someone else ()
    return subprocess.run([*prefix, *command], capture_output=True, text=True, timeout=60, check=False)


def test_a_job_of_root_has_no_capability(root: str, tmp_path: Path) -> None:
    told = run(root, tmp_path, "cat /proc/self/status").stdout

    assert "CapEff:\t0000000000000000" in told
    assert "CapPrm:\t0000000000000000" in told


def test_its_folder_is_at_home_and_where_it_starts(root: str, tmp_path: Path) -> None:
    assert run(root, tmp_path, "echo $HOME; pwd").stdout == f"{tmp_path}\n{tmp_path}\n"


@pytest.mark.parametrize("where", ["/var/tmp", "/opt", "/usr/local"])
def test_a_folder_may_lie_anywhere_and_the_new_root_is_read_only_too(root: str, where: str) -> None:
    need("root")
    folder = Path(where) / f"longpole-test-{os.getpid()}"
    folder.mkdir()
    try:
        done = run(
            root, folder, "echo x > out; touch /new ../new; mkdir /usr/new /usr/local/new; cat out; ls / .."
        )
    finally:
        (folder / "out").unlink(missing_ok=True)
        folder.rmdir()

    assert done.stdout.startswith("x\n"), done.stderr
    assert "new" not in done.stdout


def test_an_image_without_proc_dev_and_tmp_will_do(tmp_path: Path) -> None:
    root = make_root(tmp_path / "root")
    for name in ("proc", "dev", "tmp", "etc"):
        (root / name).rmdir()

    done = run(str(root), tmp_path, "echo x > /tmp/x; cat /tmp/x; ls -d /proc/self /dev/null")

    assert done.stdout == "x\n/dev/null\n/proc/self\n"


def test_all_of_a_job_ends_with_the_process_that_was_started(root: str, tmp_path: Path) -> None:
    runtime = Bubblewrap()
    script = "echo alive > beat; (while true; do echo alive > beat; sleep 0.01; done) & echo on; wait"
    command = runtime.command(runtime.prepare(root), Inside(str(tmp_path)), ["/bin/sh", "-c", script])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout
        assert job.stdout.readline() == "on\n"
        job.kill()

    assert _falls_silent(tmp_path / "beat")


def test_a_command_line_stays_short_for_hundreds_of_inputs(root: str, tmp_path: Path) -> None:
    names = tuple(f"input {number}" for number in range(256))
    for name in names:
        (tmp_path / name).write_text("x")
    runtime = Bubblewrap()
    command = runtime.command(root, Inside(str(tmp_path), names), ["/bin/sh", "-c", "echo y > 'input 77'"])

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "Read-only" in done.stderr
    assert sum(map(len, command)) < 131072


@pytest.mark.parametrize(
    ("image", "said"), [("docker://debian", "podman or apptainer"), ("/no/such", "There is no image")]
)
def test_an_image_that_it_cannot_run_is_refused(image: str, said: str) -> None:
    with pytest.raises(ContainerError, match=said) as refused:
        Bubblewrap().prepare(image)

    assert image in str(refused.value)


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContainerError, match="has no /bin/sh") as refused:
        Bubblewrap().prepare(str(tmp_path))

    assert str(tmp_path) in str(refused.value)


def test_a_machine_without_bubblewrap_is_told_what_to_install(monkeypatch) -> None:
    monkeypatch.setattr("longpole.run.containers.bwrap.program", lambda _: "")

    assert "apt-get install bubblewrap" in Bubblewrap().missing()


def _falls_silent(path: Path) -> bool:
    """Return whether a file is written no more, within a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        before = path.stat().st_mtime_ns
        time.sleep(0.2)
        if path.stat().st_mtime_ns == before:
            return True
    return False
