"""Staging: files on their way between where a run keeps them and the folder of a job, and what that took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.errors import LongpoleError
from longpole.units import Bytes, Nanoseconds


class StagingError(LongpoleError):
    """Files could not be moved; the sentence says which, from where, and why.

    Attributes:
        full: Whether there was no room for them.
    """

    exit_code = 1

    def __init__(self, sentence: str, *, full: bool = False) -> None:
        """Take the sentence."""
        self.full = full
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Item:
    """A file, or a directory, to be moved.

    Attributes:
        name: Its logical name: where it lies in the folder of a job. A directory's ends in a slash.
        path: Where the run keeps it, or is to keep it: an absolute path at the submit side. Empty if it has
            an address only.
        url: Where it is fetched from if it lies nowhere yet.
        size_bytes: How large it is; None where that is not known.
        checksum: What it must have; empty where that is not known.
    """

    name: str
    path: str = ""
    url: str = ""
    size_bytes: Bytes | None = None
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One movement: of a file, or of many that were packed into one stream. Times are monotonic."""

    what: str
    start_ns: Nanoseconds
    end_ns: Nanoseconds
    files: int
    moved_bytes: Bytes


@dataclass(frozen=True, slots=True)
class Moved:
    """What came of moving items.

    Attributes:
        transfers: Each movement; a packed one counts once.
        sizes: Of each item that was moved, by name; of a directory, the sum.
        checksums: Of each item, by name, where one was made.
        again: How many files had to be moved again, since their checksum was wrong.
    """

    transfers: tuple[Transfer, ...]
    sizes: Mapping[str, Bytes] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)
    again: int = 0
