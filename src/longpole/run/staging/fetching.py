"""Files from the server to the folder of a job: small ones in packs, large ones over several connections.

A file that arrives with a wrong checksum, the server's own or the one it must have, is asked for again. A
connection that breaks is made again, and goes on with what is missing.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import msgspec

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Checksums, of_tree, shown
from longpole.run.staging.downloading import downloaded
from longpole.run.staging.forks import cores, on_each
from longpole.run.staging.landing import Landing
from longpole.run.staging.movements import SMALL, Movement, Movements
from longpole.run.staging.refusals import AGAIN, unreadable, wrong_checksum
from longpole.run.staging.remote import Breaks, Remote
from longpole.run.staging.unpacking import Unpacked, Wish, unpack
from longpole.units import Bytes

# So many files are worth a process more.
_SHARE = 2000


class _Arrived(NamedTuple):
    """A large file that is in its place, and how often it had to be moved again."""

    wish: Wish
    size_bytes: Bytes
    checksum: str
    again: int


class _Wrong(NamedTuple):
    """A file that arrived damaged."""

    wish: Wish
    expected: str
    found: str


@dataclass(slots=True)
class _Tree:
    """A directory as it arrives: its size, and the checksums of its parts."""

    size_bytes: Bytes = 0
    sums: dict[str, str] = field(default_factory=dict)


class Fetching:
    """One call of ``bring``.

    Attributes:
        absent: Items that the server has not, but which have an address.
    """

    def __init__(self, remote: Remote, ground: Landing, movements: Movements, connections: int) -> None:
        """Take where things come from, where they go, and what counts them."""
        self.absent: list[Item] = []
        self._remote, self._ground, self._movements, self._connections = (
            remote,
            ground,
            movements,
            connections,
        )
        self._trees: dict[str, _Tree] = {}
        self._large: list[Wish] = []
        self._wrong: list[_Wrong] = []

    def fetch(self, items: Sequence[Item]) -> None:
        """Fetch them all.

        Raises:
            StagingError: One cannot be fetched, or stays wrong.
            OSError: One cannot be written.
        """
        checked = self._remote.checksums is Checksums.ON
        small: list[Wish] = []
        for item in items:
            is_folder = item.name[-1] == "/"
            is_large = (item.size_bytes or 0) > SMALL and not is_folder
            expected = item.checksum if checked and not is_folder else ""
            (self._large if is_large else small).append(Wish(item.path, item.name, expected, item))
        self._fetch_small(small)
        if self._large:
            with ThreadPoolExecutor(self._connections) as pool:
                for one in pool.map(self._fetch_large, self._large):
                    self._movements.again += one.again
                    self._arrive(one.wish, one.size_bytes, one.checksum)
        self._check_trees({item.name: item for item in items})

    def _fetch_small(self, wishes: list[Wish]) -> None:
        for again in range(1 + AGAIN):
            if not wishes:
                return
            self._movements.again += len(wishes) if again else 0
            self._wrong = []
            with self._movements.movement(_called(wishes)) as movement:
                self._fetch_packs(wishes, movement)
            wishes = [wrong.wish for wrong in self._wrong]
        if self._wrong:
            raise self._stays_wrong(self._wrong[0])

    def _fetch_packs(self, wishes: list[Wish], movement: Movement) -> None:
        """Fetch packs, and again what is missing of those that break."""
        breaks = Breaks(self._remote, _called(wishes))
        while wishes:
            shares = self._shares(wishes)
            missing: list[Wish] = []
            for share, found in zip(shares, self._unpack_each(shares), strict=True):
                self._take_in(share, found.settled() if found.broken else found, movement)
                if found.broken:
                    breaks.note(found.broken, progress=found.at > 0)
                    missing += share[found.at :]
            wishes = missing

    def _shares(self, wishes: list[Wish]) -> list[list[Wish]]:
        count = max(1, min(cores(), self._connections, len(wishes) // _SHARE))
        bounds = [len(wishes) * share // count for share in range(count + 1)]
        return [wishes[start:end] for start, end in pairwise(bounds)]

    def _unpack_each(self, shares: list[list[Wish]]) -> list[Unpacked]:
        if len(shares) == 1:
            return [unpack(self._remote, shares[0], self._ground)]
        encode = msgspec.msgpack.Encoder().encode
        answers = on_each(lambda share: encode(unpack(self._remote, share, self._ground)), shares)
        return [msgspec.msgpack.decode(answer, type=Unpacked) for answer in answers]

    def _take_in(self, share: Sequence[Wish], found: Unpacked, movement: Movement) -> None:
        if found.failed:
            raise StagingError(found.failed)
        if found.error[0]:
            raise OSError(*found.error)
        for item, part, number in found.refused:
            self._refuse(share[item].within(part), number)
        for item, part in found.folders:
            tree = self._trees.setdefault(share[item].owner.name, _Tree())
            if part:
                tree.sums[part] = ""
        self._large += [share[item].within(part) for item, part in found.large]
        self._wrong += [_Wrong(share[at].within(part), *sums) for at, part, *sums in found.wrong]
        sizes, checksums = self._movements.sizes, self._movements.checksums
        for item, part, size, checksum in found.files:
            movement.moved_bytes += size
            wish = share[item]
            if part or wish.part or not checksum:
                self._arrive(wish.within(part), size, checksum)
                continue
            # As ``_arrive`` does it, without the calls: there may be tens of thousands.
            sizes[wish.name] = size
            checksums[wish.name] = checksum
        movement.files += len(found.files)

    def _arrive(self, wish: Wish, size: Bytes, checksum: str) -> None:
        if not wish.part:
            self._movements.note(wish.name, size, checksum)
            return
        tree = self._trees[wish.owner.name]
        tree.sums[wish.part] = checksum
        tree.size_bytes += size

    def _fetch_large(self, wish: Wish) -> _Arrived:
        """Fetch one file by itself; runs in a thread."""
        target = self._ground.path(wish.name)
        for again in range(1 + AGAIN):
            with self._movements.movement(wish.name) as movement:
                download = downloaded(self._remote, wish.path, wish.name, target)
                movement.add(download.at)
            found = shown(download.running.digest())
            expected = wish.expected or shown(download.digest)
            if found == expected:
                return _Arrived(wish, download.at, found, again)
            os.unlink(target)
        raise self._stays_wrong(_Wrong(wish, expected, found))

    def _check_trees(self, items: dict[str, Item]) -> None:
        """Sum up directories; their files have been checked one by one, so a wrong sum stays wrong."""
        for name, tree in self._trees.items():
            checksum = of_tree(tree.sums.items(), self._remote.checksums)
            self._movements.note(name, tree.size_bytes, checksum)
            item = items[name]
            if checksum and item.checksum not in ("", checksum):
                wish = Wish(item.path, item.name, "", item)
                raise self._stays_wrong(_Wrong(wish, item.checksum, checksum), times=1)

    def _refuse(self, wish: Wish, number: int) -> None:
        path, name = wish.path, wish.name
        if number == errno.ENOENT and wish.owner.url:
            self.absent.append(wish.owner)
        elif number == errno.EPERM:
            raise StagingError(
                f"The server of files at {self._remote.url} does not serve '{name}': "
                f"{path} was not registered, and lies in none of its folders."
            )
        else:
            raise unreadable(name, path, number)

    def _stays_wrong(self, wrong: _Wrong, times: int = 1 + AGAIN) -> StagingError:
        source = f"{wrong.wish.path} at {self._remote.url}"
        return wrong_checksum(wrong.wish.name, source, wrong.expected, wrong.found, times)


def _called(wishes: Sequence[Wish]) -> str:
    return wishes[0].name if len(wishes) == 1 else f"{len(wishes):,} files"
