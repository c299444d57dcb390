"""Copies of files in memory that nobody can change: what a user's SQL is let near.

DuckDB can be told which files a query may open, but not that it may only read them, and a SELECT has ways to
write. A sealed memory file is read-only by the kernel's word.
"""

from __future__ import annotations

import fcntl
import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from longpole.errors import QueryError

_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


@contextmanager
def sealed(paths: Iterable[str]) -> Iterator[list[str]]:
    """Give a path in memory for each file; they last as long as this.

    Raises:
        QueryError: A file cannot be read, or there are more than this process may have open.
    """
    _allow_many_files()
    with ExitStack() as stack:
        copies = []
        try:
            for path in paths:
                descriptor = _copy(path)
                stack.callback(os.close, descriptor)
                copies.append(f"/proc/self/fd/{descriptor}")
        except OSError as error:
            raise QueryError(
                f"Cannot bring the tables into memory: {error.strerror}. Ask fewer runs at once."
            ) from error
        yield copies


def _copy(path: str) -> int:
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        copy = os.memfd_create("longpole", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            while os.sendfile(copy, source, None, 1 << 30):
                pass
            fcntl.fcntl(copy, fcntl.F_ADD_SEALS, _SEALS)
        except OSError:
            os.close(copy)
            raise
    finally:
        os.close(source)
    return copy


def _allow_many_files() -> None:
    """Raise this process's own limit of open files as far as it may."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
