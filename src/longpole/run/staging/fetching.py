"""Files from the server to the folder of a job: small ones in one pack, large ones over several connections.

A file that arrives with a wrong checksum, the server's own or the one it must have, is asked for again. A
connection that breaks is made again, and goes on with what is missing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Checksums, digest_for, of_tree, shown
from longpole.run.staging.downloading import downloaded
from longpole.run.staging.landing import Landing, write_all
from longpole.run.staging.packs import Entry, Kind, entries
from longpole.run.staging.refusals import AGAIN, unreadable, wrong_checksum
from longpole.run.staging.remote import Remote
from longpole.run.staging.tally import SMALL, Movement, Tally
from longpole.units import Bytes

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class Wanted(NamedTuple):
    """A file or directory that is asked for.

    Attributes:
        path: Where it lies at the server; a directory's ends in a slash.
        name: Where it goes in the folder of the job.
        expected: The checksum it must have; empty if any will do.
        owner: The item it belongs to.
        part: Its name within that item, if that is a directory.
    """

    path: str
    name: str
    expected: str
    owner: Item
    part: str = ""

    def within(self, part: str) -> Wanted:
        """Return what is asked for when only a part of a directory is."""
        return Wanted(f"{self.path}{part}", f"{self.name}{part}", "", self.owner, part)


class _Arrived(NamedTuple):
    """A large file that has arrived, and how often it had to be moved again."""

    wanted: Wanted
    size_bytes: Bytes
    checksum: str
    again: int


@dataclass(slots=True)
class _Tree:
    """A directory as it arrives: its size, and the checksums of its parts."""

    size_bytes: Bytes = 0
    sums: dict[str, str] = field(default_factory=dict)


class Fetching:
    """One call of ``bring``."""

    def __init__(self, remote: Remote, ground: Landing, tally: Tally, connections: int) -> None:
        """Take where things come from, where they go, and what counts them.

        After ``fetch``, ``absent`` has the items that the server has not, but which have an address.
        """
        self.absent: list[Item] = []
        self._remote, self._ground, self._tally, self._connections = remote, ground, tally, connections
        self._digest = digest_for(remote.checksums)
        self._umask = _umask()
        self._trees: dict[str, _Tree] = {}
        self._large: list[Wanted] = []
        self._wrong: list[tuple[Wanted, str, str]] = []

    def fetch(self, items: Sequence[Item]) -> None:
        """Fetch them all.

        Raises:
            StagingError: One cannot be fetched, or stays wrong.
            OSError: One cannot be written.
        """
        checked = self._remote.checksums is Checksums.ON
        wanted = [Wanted(item.path, item.name, item.checksum if checked else "", item) for item in items]
        self._large = [one for one in wanted if (one.owner.size_bytes or 0) > SMALL and one.path[-1] != "/"]
        large = {one.name for one in self._large}
        self._fetch_packs([one for one in wanted if one.name not in large])
        if self._large:
            with ThreadPoolExecutor(self._connections) as pool:
                for one in pool.map(self._fetch_large, self._large):
                    self._tally.again += one.again
                    self._arrived(one.wanted, one.size_bytes, one.checksum)
        self._sum_up_trees()

    def _fetch_packs(self, wanted: list[Wanted]) -> None:
        for again in range(1 + AGAIN):
            if not wanted:
                return
            self._tally.again += len(wanted) if again else 0
            self._wrong = []
            with self._tally.movement(_called(wanted)) as movement:
                take = partial(self._take_pack, _Pack(wanted), movement)
                self._remote.insist(_called(wanted), take, partial(getattr, movement, "files"))
            wanted = [one for one, _, _ in self._wrong]
        if self._wrong:
            one, expected, found = self._wrong[0]
            raise self._stays_wrong(one, expected, found)

    def _take_pack(self, pack: _Pack, movement: Movement) -> None:
        paths = b"".join(os.fsencode(one.path) + b"\0" for one in pack.wanted)
        try:
            with closing(self._remote.ask("POST /pack", {"Content-Length": len(paths)}, paths)) as wire:
                self._remote.answer(wire, "a pack")
                for entry in entries(wire):
                    pack.at = entry.item
                    if entry.kind == Kind.FILE:
                        self._take_file(entry, pack.wanted[entry.item], movement)
                    else:
                        self._take_other(entry, pack.wanted[entry.item])
        except (ConnectionError, TimeoutError):
            # What came before is complete; the item that was under way comes again.
            pack.wanted, pack.at = pack.wanted[pack.at :], 0
            raise

    def _take_file(self, entry: Entry, wanted: Wanted, movement: Movement) -> None:
        if entry.name:
            wanted = wanted.within(os.fsdecode(entry.name))
        digest = self._digest(entry.body)
        found = shown(digest)
        if digest != entry.digest or (wanted.expected and found != wanted.expected):
            expected = wanted.expected or shown(entry.digest)
            self._wrong.append((wanted, expected, found))
            return
        self._write(wanted.name, entry)
        movement.files += 1
        movement.moved_bytes += entry.size_bytes
        self._arrived(wanted, entry.size_bytes, found)

    def _write(self, name: str, entry: Entry) -> None:
        path = self._ground.path(name)
        try:
            descriptor = os.open(path, _CREATE, entry.mode)
        except FileExistsError:
            os.unlink(path)  # of an earlier connection, which broke
            descriptor = os.open(path, _CREATE, entry.mode)
        try:
            if os.write(descriptor, entry.body) != entry.size_bytes:
                os.lseek(descriptor, 0, os.SEEK_SET)
                write_all(descriptor, entry.body)
            if entry.mode & self._umask:
                os.fchmod(descriptor, entry.mode)
        finally:
            os.close(descriptor)

    def _take_other(self, entry: Entry, wanted: Wanted) -> None:
        part = os.fsdecode(entry.name)
        if entry.kind == Kind.FOLDER:
            self._ground.make(wanted.name + part)
            tree = self._trees.setdefault(wanted.owner.name, _Tree())
            if part:
                tree.sums[part] = ""
        elif entry.kind == Kind.LARGE:
            self._large.append(wanted.within(part) if part else wanted)
        elif entry.mode == errno.ENOENT and wanted.owner.url:
            self.absent.append(wanted.owner)
        else:
            raise self._refused(wanted.within(part) if part else wanted, entry.mode)

    def _arrived(self, wanted: Wanted, size: Bytes, checksum: str) -> None:
        if not wanted.part:
            self._tally.note(wanted.name, size, checksum)
            return
        tree = self._trees[wanted.owner.name]
        tree.sums[wanted.part] = checksum
        tree.size_bytes += size

    def _fetch_large(self, wanted: Wanted) -> _Arrived:
        """Fetch one file by itself; runs in a thread."""
        target = self._ground.path(wanted.name)
        for again in range(1 + AGAIN):
            with self._tally.movement(wanted.name) as movement:
                download = downloaded(self._remote, wanted.path, wanted.name, target)
                movement.add(download.at)
            found = shown(download.running.digest())
            expected = wanted.expected or shown(download.digest)
            if found == expected:
                return _Arrived(wanted, download.at, found, again)
            os.unlink(target)
        raise self._stays_wrong(wanted, expected, found)

    def _sum_up_trees(self) -> None:
        for name, tree in self._trees.items():
            checksum = of_tree(tree.sums.items(), self._remote.checksums)
            self._tally.note(name, tree.size_bytes, checksum)

    def check_trees(self, items: Sequence[Item]) -> None:
        """Compare directories with the checksums they must have; their files have been checked one by one.

        Raises:
            StagingError: One differs.
        """
        for item in items:
            found = self._tally.checksums.get(item.name)
            if item.name in self._trees and found and item.checksum not in ("", found):
                wanted = Wanted(item.path, item.name, item.checksum, item)
                raise self._stays_wrong(wanted, item.checksum, found, times=1)

    def _stays_wrong(self, wanted: Wanted, expected: str, found: str, times: int = 1 + AGAIN) -> StagingError:
        source = f"{wanted.path} at {self._remote.url}"
        return wrong_checksum(wanted.name, source, expected, found, times)

    def _refused(self, wanted: Wanted, number: int) -> StagingError:
        if number == errno.EPERM:
            return StagingError(
                f"The server of files at {self._remote.url} does not serve '{wanted.name}': "
                f"{wanted.path} was not registered, and lies in none of its folders."
            )
        return unreadable(wanted.name, wanted.path, number)


class _Pack:
    """What is still wanted of a pack, and the item that arrived last."""

    def __init__(self, wanted: list[Wanted]) -> None:
        self.wanted = wanted
        self.at = 0


def _called(wanted: Sequence[Wanted]) -> str:
    return wanted[0].name if len(wanted) == 1 else f"{len(wanted):,} files"


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
