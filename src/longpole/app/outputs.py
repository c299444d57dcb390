"""Files that a command leaves behind: whole or not at all, and never over what was there unasked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longpole.errors import UsageError


@contextmanager
def fresh_file(target: Path, *, force: bool) -> Iterator[Path]:
    """Give a path to write to; it becomes ``target`` when all went well.

    Raises:
        UsageError: The target is there already, or its folder cannot be written to.
    """
    if target.is_dir() or (target.exists() and not force):
        raise _taken(target)
    with _scratch(target) as folder:
        yield folder / target.name
        os.replace(folder / target.name, target)


@contextmanager
def fresh_folder(target: Path, *, force: bool) -> Iterator[Path]:
    """Give a folder to write files to; they are in ``target`` when all went well.

    A folder that is there keeps the files it has under other names.

    Raises:
        UsageError: The target is there already, or cannot be written to.
    """
    if target.exists() and not (target.is_dir() and (force or not any(target.iterdir()))):
        raise _taken(target)
    with _scratch(target) as folder:
        inside = folder / target.name
        inside.mkdir()
        yield inside
        if not target.exists():
            os.rename(inside, target)
            return
        for file in inside.iterdir():
            os.replace(file, target / file.name)


@contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """Give a folder beside the target, on the same file system, and take it away again."""
    try:
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=".longpole-"))
    except OSError as error:
        raise UsageError(f"Cannot write to {target.parent}: {error.strerror}. Give another --out.") from error
    try:
        yield folder
    except OSError as error:
        raise UsageError(f"Cannot write {target}: {error.strerror or error}. Give another --out.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _taken(target: Path) -> UsageError:
    return UsageError(f"{target} is there already. Give another --out, or --force to replace it.")
