"""Files of text that a person wrote: how they are read, and the one sentence that says why one cannot be."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from longpole.errors import LongpoleError
from longpole.model.text import visible
from longpole.units import Bytes, show_bytes


def read_text(path: Path, largest: Bytes, complaint: type[LongpoleError]) -> str:
    """Return the text of a file.

    Raises:
        complaint: It is not there, not a file of ordinary size, or not UTF-8.
    """
    name = visible(str(path))
    try:
        content = _content(path, largest)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise complaint(f"Cannot read {name}: {reason}.") from error
    if len(content) > largest:
        raise complaint(
            f"Cannot read {name}: it is larger than {show_bytes(largest)}, which no description is."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise complaint(f"Cannot read {name}: it is not UTF-8 text at line {line}.") from error


def _content(path: Path, largest: Bytes) -> bytes:
    # Without waiting: a pipe that nobody writes to would hold us for ever.
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        kind = os.fstat(opened).st_mode
        if not stat.S_ISREG(kind):
            raise ValueError("it is a folder" if stat.S_ISDIR(kind) else "it is not a file")
        with open(opened, "rb", closefd=False) as file:
            return file.read(largest + 1)
    finally:
        os.close(opened)
