"""The few small files of a short job, linked and renamed at once: what ways do for any file, in short.

Whatever is not plain (another file system, a link, a directory, a large or missing file) is left to the ways,
before anything was changed. What is done here has the same result.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence

from longpole.model.staging import Item
from longpole.run.messages import Made
from longpole.run.staging.checksums import Digest, shown

MOST_FILES = 32
_MOST_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def link_all(items: Sequence[Item], folder: str) -> bool:
    """Link files into a job's folder; return whether that was done.

    Raises:
        OSError: A link cannot be made.
    """
    if len(items) > MOST_FILES or any(item.url or item.name[-1] == "/" for item in items):
        return False
    if not all(os.path.exists(item.path) for item in items):
        return False
    for item in items:
        _put(os.symlink, item.path, f"{folder}/{item.name}")
    return True


def rename_all(names: Sequence[str], folder: str, kept: str, digest: Digest) -> tuple[Made, ...] | None:
    """Put files of a job's folder where the run keeps them; return them, or None if nothing was done.

    Nothing is done where one cannot be put there, for whatever reason: who takes more care tells which.
    """
    if len(names) > MOST_FILES:
        return None
    found = []
    for name in names:
        made = _looked_at(name, f"{folder}/{name}", digest)
        if made is None:
            return None
        found.append(made)
    for place, name in enumerate(names):
        try:
            _put(os.rename, f"{folder}/{name}", f"{kept}/{name}")
        except OSError:
            for moved in names[:place]:
                os.rename(f"{kept}/{moved}", f"{folder}/{moved}")
            return None
    return tuple(found)


def _looked_at(name: str, path: str, digest: Digest) -> Made | None:
    """Return a small plain file with its checksum, None for all others."""
    try:
        file = os.open(path, _READ)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return None
        content = os.read(file, status.st_size + 1)
    finally:
        os.close(file)
    return Made(name, len(content), shown(digest(content))) if len(content) == status.st_size else None


def _put(how: Callable[[str, str], None], source: str, target: str) -> None:
    """Link or rename to a path, making its directory first if it is not there."""
    try:
        how(source, target)
    except FileNotFoundError:
        os.makedirs(target.rpartition("/")[0], exist_ok=True)
        how(source, target)
