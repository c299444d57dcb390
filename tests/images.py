"""Images for tests: a real, small root file system made of this machine's own programs, in a moment."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARKER = "/only-in-the-image"
SAID = "this is the image"
PROGRAMS = ("sh", "cat", "env", "head", "id", "ls", "mkdir", "mv", "rm", "sleep", "touch", "true")
_MOUNT_POINTS = ("dev", "etc", "proc", "tmp")


def make_root(folder: Path) -> Path:
    """Make a root file system with a few programs, their libraries, and a file that is nowhere else."""
    for name in (*_MOUNT_POINTS, "usr/bin"):
        (folder / name).mkdir(parents=True)
    (folder / "bin").symlink_to("usr/bin")
    for name in PROGRAMS:
        _add_program(folder, name)
    (folder / MARKER[1:]).write_text(SAID)
    return folder


def make_squashfs(root: Path, image: Path) -> Path:
    """Pack a root file system."""
    packing = ["mksquashfs", str(root), str(image), "-quiet", "-no-progress", "-noappend", "-comp", "gzip"]
    subprocess.run(packing, check=True, capture_output=True)
    return image


@contextmanager
def images() -> Iterator[Path]:
    """Give a folder that everybody can read, with the image ``root`` and, packed, ``root.image``."""
    with tempfile.TemporaryDirectory(prefix="longpole-images-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        make_root(folder / "root")
        if shutil.which("mksquashfs"):
            make_squashfs(folder / "root", folder / "root.image")
        yield folder


def _add_program(folder: Path, name: str) -> None:
    found = shutil.which(name, path="/usr/bin:/bin")
    assert found, f"there is no {name} to make an image of"
    shutil.copy(found, folder / "usr/bin" / name)
    told = subprocess.run(["ldd", found], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"/\S+", told):
        target = folder / library[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            shutil.copy(library, target)
