"""Squashfs images are mounted once, found again, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.model.containers import ContainerError
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.mounts import Mounts
from tests.images import MARKER, SAID, images
from tests.parts import need
from tests.recording import NOBODY, SOURCE, Someone

_OTHER_DRIVER = """
import sys, time
from longpole.run.containers.mounts import Mounts
mounts = Mounts(sys.argv[1])
print(mounts.mount(sys.argv[2]), flush=True)
sys.stdin.readline()
mounts.unmount(mounts.mount(sys.argv[2]))
"""
_ORDINARY_DRIVER = """
import os, subprocess, sys
from longpole.model.containers import Inside
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.mounts import Mounts
image, folder = sys.argv[1:]
runtime = Bubblewrap(Mounts(folder + '/mounts'))
prepared = runtime.prepare(image)
command = runtime.command(prepared, Inside(folder), ['/bin/sh', '-c', 'cat MARKER; id -u; echo x > out'])
print(subprocess.run(command, capture_output=True, text=True))
runtime.release(prepared)
print('left:', os.listdir(folder + '/mounts'))
""".replace("MARKER", MARKER)


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    need("squashfs")
    with images() as folder:
        yield str(folder / "root.image")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "mounts"
    assert not [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(tmp_path) in line]


def test_an_image_is_mounted_until_it_is_given_back(image: str, folder: Path) -> None:
    mounts = Mounts(str(folder))

    point = mounts.mount(image)
    assert mounts.mount(image) == point
    assert Path(point + MARKER).read_text() == SAID
    mounts.unmount(point)
    mounts.unmount(point)

    assert list(folder.iterdir()) == []


def test_no_loop_device_is_left(image: str, folder: Path) -> None:
    mounts = Mounts(str(folder))
    mounts.unmount(mounts.mount(image))

    told = subprocess.run(["losetup", "--associated", image], capture_output=True, text=True, check=True)
    assert told.stdout == ""


def test_what_another_driver_uses_stays_mounted(image: str, folder: Path) -> None:
    with _OtherDriver(folder, image) as (other, point):
        mounts = Mounts(str(folder))
        assert mounts.mount(image) == point
        mounts.unmount(point)
        stayed = os.path.ismount(point)
        other.communicate("go on\n", timeout=60)

    assert stayed
    assert other.returncode == 0
    assert list(folder.iterdir()) == []


def test_a_mount_of_a_killed_driver_is_used_again(image: str, folder: Path) -> None:
    with _OtherDriver(folder, image) as (other, point):
        other.kill()
        other.wait()
        left = os.path.ismount(point)

        mounts = Mounts(str(folder))
        assert mounts.mount(image) == point
        mounts.unmount(point)

    assert left
    assert list(folder.iterdir()) == []


def test_a_mount_of_a_killed_driver_goes_when_another_image_is_mounted(
    image: str, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(Path(image).read_bytes())
    with _OtherDriver(folder, image) as (other, point):
        other.kill()
        other.wait()

        mounts = Mounts(str(folder))
        new = mounts.mount(str(copy))
        gone = not os.path.lexists(point)
        mounts.unmount(new)

    assert gone
    assert new != point


def test_a_squashfuse_that_was_killed_is_mounted_again(image: str, folder: Path) -> None:
    need("fuse")
    mounts = Mounts(str(folder))
    point = Path(mounts.mount(image))
    subprocess.run(["umount", point], check=True)
    subprocess.run(["squashfuse", image, point], check=True)
    [daemon] = _found("pgrep", "-f", f"squashfuse {image} {point}")
    os.kill(int(daemon), signal.SIGKILL)

    again = Mounts(str(folder))
    with pytest.raises(ContainerError, match="End that run first"):
        again.mount(image)
    for lock in mounts._locks.values():
        os.close(lock)  # as if the other run had been killed too
    assert again.mount(image) == str(point)
    assert Path(f"{point}{MARKER}").read_text() == SAID
    again.unmount(str(point))


def test_a_changed_image_is_mounted_anew(image: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(Path(image).read_bytes())
    mounts = Mounts(str(folder))
    before = mounts.mount(str(copy))
    os.utime(copy, ns=(1, 1))
    after = mounts.mount(str(copy))
    for point in (before, after):
        mounts.unmount(point)

    assert before != after


def test_a_squashfs_that_is_damaged_inside_is_refused_and_not_left_mounted(
    image: str, folder: Path, tmp_path: Path
) -> None:
    need("bwrap")
    content = bytearray(Path(image).read_bytes())
    content[96:] = b"\xff" * (len(content) - 96)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(content)

    with pytest.raises(ContainerError, match="damaged"):
        Bubblewrap(Mounts(str(folder))).prepare(str(damaged))

    assert list(folder.iterdir()) == []


def test_a_folder_of_another_user_is_not_used(image: str, folder: Path) -> None:
    need("root")
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)

    with pytest.raises(ContainerError, match="others may write there"):
        Mounts(str(folder)).mount(image)


def test_an_ordinary_user_mounts_by_squashfuse(image: str, nobody: Someone) -> None:
    need("bwrap", "fuse")
    told = _as_nobody(nobody, image, "chmod 666 '{node}'; mount --bind '{node}' /dev/fuse; ")

    assert f"stdout='{SAID}{NOBODY}\\n'" in told
    assert "left: []" in told
    assert (nobody.runs / "out").stat().st_uid == NOBODY


def test_an_ordinary_user_without_fuse_is_told_what_to_install(image: str, nobody: Someone) -> None:
    need("bwrap", "fuse")
    told = _as_nobody(nobody, image, "chmod 600 '{node}'; mount --bind '{node}' /dev/fuse; ")

    assert "ContainerError" in told
    assert "install squashfuse and fuse3" in told


def _as_nobody(nobody: Someone, image: str, before: str) -> str:
    """Run a driver as nobody, in a mount namespace of its own with its own device for FUSE."""
    node = nobody.source.parent / "fuse"
    os.mknod(node, 0o020666, os.makedev(10, 229))
    script = before.format(node=node) + 'exec "$@"'
    driver = [*nobody.prefix, nobody.python, "-c", _ORDINARY_DRIVER, image, str(nobody.runs)]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *driver],
        env=nobody.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def _found(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


class _OtherDriver:
    """Another process that has an image mounted until it reads a line."""

    def __init__(self, folder: Path, image: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OTHER_DRIVER, str(folder), image],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> tuple[subprocess.Popen[str], str]:
        assert self._process.stdout
        return self._process, self._process.stdout.readline().strip()

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()
