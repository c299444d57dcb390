"""A pack of the server as it arrives: each file checked, and written into its place.

This is where nearly all of the time of staging many small files goes, so it is one plain loop. Nothing is
decided here: what came, and what was wrong with it, is returned as numbers and words that can cross to
another process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Digest, digest_for, shown
from longpole.run.staging.landing import Landing, write_all
from longpole.run.staging.packs import Kind, entries
from longpole.run.staging.remote import Remote
from longpole.run.staging.wire import Wire
from longpole.units import Bytes

_FILE = int(Kind.FILE)  # an enum compares ten times slower
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Wish(NamedTuple):
    """A file or directory that is asked for.

    Attributes:
        path: Where it lies at the server; a directory's ends in a slash.
        name: Where it goes in the folder of the job.
        expected: The checksum it must have; empty if any will do.
        owner: The item that it is, or that it is a part of.
        part: Its name within that item, if it is a part of a directory.
    """

    path: str
    name: str
    expected: str
    owner: Item
    part: str = ""

    def within(self, part: str) -> Wish:
        """Return the wish for a part of this alone; this itself if there is no part."""
        return Wish(f"{self.path}{part}", f"{self.name}{part}", "", self.owner, part) if part else self


class Unpacked(msgspec.Struct, array_like=True):
    """What came of a pack; every entry begins with the place of its wish, and its name within a directory.

    Attributes:
        files: Sizes and checksums of files that are in their places.
        folders: Directories.
        large: Files that are to be fetched by themselves.
        wrong: Files that arrived damaged: the checksum expected, and the one found.
        refused: What the server could not read, with numbers of errors.
        at: The wish that was under way at the end; those before it are settled.
        broken: Why the pack ended early; empty if it did not.
        failed: A sentence, if nothing more can come of it.
        error: Number and words of why something could not be written.
    """

    files: list[tuple[int, str, Bytes, str]] = []
    folders: list[tuple[int, str]] = []
    large: list[tuple[int, str]] = []
    wrong: list[tuple[int, str, str, str]] = []
    refused: list[tuple[int, str, int]] = []
    at: int = 0
    broken: str = ""
    failed: str = ""
    error: tuple[int, str] = (0, "")

    def settled(self) -> Unpacked:
        """Return what came of the wishes before the one that was under way."""
        return Unpacked(
            [row for row in self.files if row[0] < self.at],
            [row for row in self.folders if row[0] < self.at],
            [row for row in self.large if row[0] < self.at],
            [row for row in self.wrong if row[0] < self.at],
            [row for row in self.refused if row[0] < self.at],
        )


def unpack(remote: Remote, wishes: Sequence[Wish], ground: Landing) -> Unpacked:
    """Ask for a pack and take it in; never raises for what goes wrong with it."""
    found = Unpacked()
    paths = os.fsencode("\0".join([wish.path for wish in wishes]) + "\0")
    try:
        with closing(remote.ask("POST /pack", {"Content-Length": len(paths)}, paths)) as wire:
            remote.answer(wire, "a pack")
            _take(wire, wishes, ground, digest_for(remote.checksums), found)
    except (ConnectionError, TimeoutError) as error:
        found.broken = str(error) or repr(error)
    except StagingError as error:
        found.failed = str(error)
    except OSError as error:
        found.error = error.errno or 0, error.strerror or str(error)
    return found


def _take(wire: Wire, wishes: Sequence[Wish], ground: Landing, digest: Digest, found: Unpacked) -> None:
    umask = _umask()
    arrived = found.files.append
    for item, kind, name, mode, size, sent, body in entries(wire):
        found.at = item
        wish = wishes[item]
        part = os.fsdecode(name) if name else ""
        if kind != _FILE:
            _note(found, (item, part), kind, mode)
            if kind == Kind.FOLDER:
                ground.make(wish.name + part)
            continue
        made = digest(body)
        checksum = shown(made)
        if made != sent or (wish.expected and checksum != wish.expected):
            found.wrong.append((item, part, wish.expected or shown(sent), checksum))
            continue
        descriptor = _created(ground.path(wish.name + part if part else wish.name), mode)
        try:
            written = os.write(descriptor, body)
            if written != size:
                write_all(descriptor, body[written:])
            if mode & umask:
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        arrived((item, part, size, checksum))


def _created(path: str, mode: int) -> int:
    try:
        return os.open(path, _CREATE, mode)
    except FileExistsError:
        os.unlink(path)  # of an earlier connection, which broke
        return os.open(path, _CREATE, mode)


def _note(found: Unpacked, which: tuple[int, str], kind: int, number: int) -> None:
    if kind == Kind.FOLDER:
        found.folders.append(which)
    elif kind == Kind.LARGE:
        found.large.append(which)
    else:
        found.refused.append((*which, number))


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
