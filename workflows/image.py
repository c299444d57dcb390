"""Make a container image of a Python environment: one squashfs file, with no registry, service or privilege.

Method: the environment and the standard library lie in the image under their own paths, for programs know
them by these; beside them lie the shared libraries that their modules name (as ``ldd`` finds them), a shell
and common programs. Files are linked, not copied, where that is possible, and packed by ``mksquashfs``.
Left out are libraries that a module opens by a name of its own while it runs, and drivers of GPUs. Standard
library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = (
    *("sh", "bash", "env", "cat", "cp", "mv", "rm", "ls", "mkdir", "touch", "ln", "sleep", "true", "id"),
    *("head", "tail", "wc", "sort", "uniq", "cut", "tr", "grep", "sed", "awk", "xargs", "find"),
)
_MOUNT_POINTS = ("dev", "etc", "proc", "tmp")
_COVERED = ("/dev", "/proc", "/tmp")  # containers have their own
_USERS = "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"
# in the folder of the standard library; packages there are another environment's, or asked for by name
_NOT_WANTED = {"test", "idlelib", "ensurepip", "turtledemo", "site-packages", "dist-packages"}
_AT_ONCE = 200
_ASK = """
import json, os, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({"prefix": sys.prefix, "executable": os.path.realpath(sys.executable),
                  "library": paths["stdlib"], "packages": [paths["purelib"], paths["platlib"]]}))
"""


class ImageError(Exception):
    """What keeps an image from being made, in one sentence."""


@dataclass(frozen=True)
class Environment:
    """A Python environment.

    Attributes:
        python: The interpreter, as the environment has it.
        executable: The program that this leads to.
        library: The folder of the standard library.
        folders: All other folders that belong to it.
    """

    python: Path
    executable: Path
    library: Path
    folders: tuple[Path, ...]


def main() -> int:
    """Make the image that is asked for."""
    asked = _arguments()
    try:
        environment = environment_of(Path(asked.environment))
        size = make_image(environment, Path(asked.image), asked.compression)
    except (ImageError, OSError) as error:
        print(f"image: {error}", file=sys.stderr)
        return 1
    print(f"{asked.image}: {size / 1e6:,.0f} MB; longpole run ... --set container={asked.image}")
    return 0


def environment_of(folder: Path) -> Environment:
    """Return what an environment consists of, as its own Python tells."""
    python = folder.absolute() / "bin" / "python3"
    if not python.exists():
        raise ImageError(f"{folder} is no environment of Python: it has no bin/python3.")
    if covered := [one for one in _COVERED if python.is_relative_to(one)]:
        raise ImageError(
            f"{folder} lies in {covered[0]}, which containers have of their own: make it elsewhere."
        )
    done = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImageError(f"{python} does not start: {done.stderr.strip() or done.returncode}.")
    told = json.loads(done.stdout)
    virtual = Path(told["prefix"]) if Path(told["prefix"], "pyvenv.cfg").exists() else None
    folders = [virtual] if virtual else [Path(one) for one in told["packages"] if Path(one).is_dir()]
    return Environment(python, Path(told["executable"]), Path(told["library"]), tuple(dict.fromkeys(folders)))


def make_image(environment: Environment, image: Path, compression: str) -> int:
    """Write the image, whole or not at all, and return how many bytes it has."""
    if not shutil.which("mksquashfs"):
        raise ImageError("There is no mksquashfs: install squashfs-tools.")
    image.absolute().parent.mkdir(parents=True, exist_ok=True)
    # beside the environment, so that its files can be linked
    with tempfile.TemporaryDirectory(prefix=".image-", dir=_place(environment)) as name:
        root, packed = Path(name, "root"), image.with_name(f".{image.name}.{os.getpid()}")
        lay_out(environment, root)
        packing = [
            "mksquashfs",
            str(root),
            str(packed),
            "-quiet",
            "-noappend",
            "-all-root",
            "-comp",
            compression,
        ]
        try:
            if subprocess.run([*packing, "-no-progress"], stdout=subprocess.DEVNULL, check=False).returncode:
                raise ImageError("mksquashfs failed, as it says above.")
            packed.replace(image)
        finally:
            packed.unlink(missing_ok=True)
    return image.stat().st_size


def lay_out(environment: Environment, root: Path) -> None:
    """Lay the root file system out in a folder."""
    for name in (*_MOUNT_POINTS, "usr/bin"):
        (root / name).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    (root / "etc" / "passwd").write_text(_USERS)
    _link_tree(environment.library, root, leave=_NOT_WANTED)
    for folder in environment.folders:
        _link_tree(folder, root)
    _link(environment.executable, root)
    programs = [Path(found) for name in PROGRAMS if (found := shutil.which(name, path="/usr/bin:/bin"))]
    for program in programs:
        _link(program, root, root / "usr" / "bin" / program.name)
    for name in ("python3", "python"):  # not a link: an environment is found from the path that is called
        called = root / "usr" / "bin" / name
        called.write_text(f'#!/bin/sh\nexec {environment.python} "$@"\n')
        called.chmod(0o755)
    modules = [Path("/", path.relative_to(root)) for path in root.rglob("*.so*") if not path.is_symlink()]
    for library in libraries_of([environment.executable, *programs, *modules]):
        _link(library, root, root / library.relative_to("/"))


def libraries_of(files: Iterable[Path]) -> Iterator[Path]:
    """Return the shared libraries that programs and modules name."""
    names, seen = [str(one) for one in files], set()
    for first in range(0, len(names), _AT_ONCE):
        asked = ["ldd", *names[first : first + _AT_ONCE]]
        told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        # "libc.so.6 => /lib/libc.so.6 (0x...)", "/lib64/ld-linux.so.2 (0x...)"; a file itself ends in a colon
        for found in re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", told, flags=re.MULTILINE):
            if found not in seen:
                seen.add(found)
                yield Path(found)


def _link_tree(folder: Path, root: Path, leave: Iterable[str] = ()) -> None:
    for at, folders, files in os.walk(folder):
        if Path(at) == folder:
            folders[:] = [name for name in folders if name not in leave]
        for name in [*files, *(one for one in folders if Path(at, one).is_symlink())]:
            if not name.endswith(".a"):
                _link(Path(at, name), root)


def _link(file: Path, root: Path, place: Path | None = None) -> None:
    """Give a file a second name in the root; a symbolic link within a tree stays one."""
    target = place or root / file.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() or target.is_symlink():
        return
    if file.is_symlink() and place is None and not _is_file_elsewhere(file):
        target.symlink_to(file.readlink())
        return
    try:
        os.link(file.resolve(), target)
    except OSError:  # another file system, or not ours to link
        shutil.copy(file, target)


def _is_file_elsewhere(link: Path) -> bool:
    """Return whether a symbolic link leads to a file in another folder, which the image may not have."""
    return link.is_file() and link.resolve().parent != link.parent.resolve()


def _place(environment: Environment) -> Path:
    """Return a folder on the file system of the environment, if we may write there."""
    beside = environment.python.parent.parent.parent
    return beside if os.access(beside, os.W_OK) else Path(tempfile.gettempdir())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.epilog = "example: python workflows/image.py ml.sqfs --environment ~/envs/ml"
    parser.add_argument("image", help="the file to write")
    parser.add_argument("--environment", default=sys.prefix, help="its folder; the one that runs this")
    parser.add_argument("--compression", default="lz4", choices=("lz4", "zstd", "gzip", "xz"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
