"""A tar stream as it arrives: each file written into its place in the folder of a job, and summed."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Sequence
from typing import IO

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Checksums, of_tree, running_for, shown
from longpole.run.staging.copying import copy_file
from longpole.run.staging.landing import Landing, remove, write_all
from longpole.run.staging.movements import Movement, Movements
from longpole.units import Bytes

_BLOCK = 1 << 18
_Parts = dict[str, tuple[Bytes, str]]
"""Sizes and checksums of the files of an item, by their names in it; directories have neither."""


class Arriving:
    """Takes streams whose members are named by absolute paths."""

    def __init__(self, ground: Landing, checksums: Checksums, items: Sequence[Item]) -> None:
        """Take where files go, and what is to come."""
        self._ground, self._checksums = ground, checksums
        self._found: dict[str, _Parts] = {}
        self._owners: dict[str, list[Item]] = {}
        for item in items:
            self._owners.setdefault(item.path.rstrip("/"), []).append(item)

    def take(self, stream: IO[bytes], movement: Movement) -> None:
        """Take one stream.

        Raises:
            StagingError: There is a directory where a file was promised, or the other way round.
            tarfile.TarError: It is damaged, or ends early.
            OSError: Something cannot be written.
        """
        with tarfile.open(fileobj=stream, mode="r|", bufsize=_BLOCK) as tar:
            for member in tar:
                if member.isdir():
                    for item, part in self._places(member.name.rstrip("/")):
                        self._ground.make(item.name + part)
                        self._parts(item, member, part)[f"{part}/" if part else ""] = 0, ""
                elif source := tar.extractfile(member):
                    self._take_file(source, member, movement)

    def note(self, items: Sequence[Item], movements: Movements) -> list[tuple[Item, str]]:
        """Take sizes and checksums of what came; return what has a wrong one, and that."""
        wrong = []
        for item in items:
            parts = self._found.get(item.name)
            if parts is None:
                raise StagingError(f"'{item.name}' did not come: is {item.path} there, and can it be read?")
            checksum = self._checksum(item, parts)
            movements.note(item.name, sum(size for size, _ in parts.values()), checksum)
            if checksum and item.checksum not in ("", checksum):
                wrong.append((item, checksum))
        return wrong

    def _places(self, path: str) -> list[tuple[Item, str]]:
        """Return which items a path belongs to, and as which part: it itself, and directories above it."""
        found = [(item, "") for item in self._owners.get(path, ())]
        above = path.rpartition("/")[0]
        while above:
            found += [(item, path[len(above) + 1 :]) for item in self._owners.get(above, ())]
            above = above.rpartition("/")[0]
        return found

    def _parts(self, item: Item, member: tarfile.TarInfo, part: str) -> _Parts:
        if item.name.endswith("/") != (member.isdir() or bool(part)):
            found = "a directory" if member.isdir() else "a file"
            raise StagingError(f"'{item.name}' was to be something else: {member.name} is {found}.")
        return self._found.setdefault(item.name, {})

    def _take_file(self, source: IO[bytes], member: tarfile.TarInfo, movement: Movement) -> None:
        first = ""
        for item, part in self._places(member.name):
            parts = self._parts(item, member, part)
            path = self._ground.path(item.name + part)
            remove(path)
            if first:
                copied = copy_file(first, path, self._checksums)
                parts[part] = copied.size_bytes, copied.checksum
                continue
            first = path
            parts[part] = self._write(source, path, member.mode)
            movement.add(parts[part][0])

    def _write(self, source: IO[bytes], path: str, mode: int) -> tuple[Bytes, str]:
        running = running_for(self._checksums)
        total = 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            while piece := source.read(_BLOCK):
                running.update(memoryview(piece))
                write_all(descriptor, piece)
                total += len(piece)
            os.fchmod(descriptor, mode & 0o777)
        finally:
            os.close(descriptor)
        return total, shown(running.digest())

    def _checksum(self, item: Item, parts: _Parts) -> str:
        if not item.name.endswith("/"):
            return parts[""][1]
        return of_tree([(part, checksum) for part, (_, checksum) in parts.items() if part], self._checksums)
