"""Files from the folder of a job to the server: small ones in one pack, large ones over several connections.

A directory goes under a hidden name, and gets its own when all of it has arrived.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import of_tree, shown
from longpole.run.staging.errands import check_kind
from longpole.run.staging.landing import hidden_in
from longpole.run.staging.movements import SMALL, Movements
from longpole.run.staging.packs import Kind, PackWriter
from longpole.run.staging.refusals import AGAIN, NO_ROOM, no_room, unreadable, wrong_checksum
from longpole.run.staging.remote import Remote
from longpole.run.staging.trees import parts_of
from longpole.run.staging.uploading import upload
from longpole.units import Bytes


@dataclass(slots=True)
class _Outgoing:
    """A file, or a directory without what is in it, on its way to a path at the server."""

    source: str
    target: str
    owner: Item
    part: str
    size_bytes: Bytes
    checksum: str = ""

    @property
    def is_folder(self) -> bool:
        return self.target.endswith("/")


@dataclass(slots=True)
class _Plan:
    """All that goes, and the renames at the end."""

    outgoing: list[_Outgoing] = field(default_factory=list)
    moves: list[tuple[str, str]] = field(default_factory=list)


class Pushing:
    """One call of ``send``."""

    def __init__(self, remote: Remote, movements: Movements, connections: int) -> None:
        """Take where things go, and what counts them."""
        self._remote, self._movements, self._connections = remote, movements, connections

    def push(self, found: Sequence[tuple[Item, str]]) -> None:
        """Send items from where they lie.

        Raises:
            StagingError: One cannot be read, or the server cannot write it.
        """
        plan = _planned(found)
        self._push_packs([one for one in plan.outgoing if one.size_bytes <= SMALL])
        large = [one for one in plan.outgoing if one.size_bytes > SMALL]
        if large:
            with ThreadPoolExecutor(self._connections) as pool:
                self._movements.again += sum(pool.map(self._push_large, large))
        if plan.moves:
            self._move(plan.moves)
        self._sum_up(plan.outgoing)

    def _push_packs(self, outgoing: list[_Outgoing]) -> None:
        for again in range(1 + AGAIN):
            if not outgoing:
                return
            self._movements.again += len(outgoing) if again else 0
            files = [one for one in outgoing if not one.is_folder]
            what = files[0].owner.name if len(files) == 1 else f"{len(files):,} files"
            with self._movements.movement(what) as movement:
                facts = self._remote.insist(what, partial(self._send_pack, outgoing), int)
                self._check(facts, outgoing)
                movement.files = len(files) - len(facts["wrong"])
                movement.moved_bytes = sum(one.size_bytes for one in files)
            outgoing = [outgoing[item] for item, _ in facts["wrong"]]
        if outgoing:
            raise self._stays_wrong(outgoing[0], facts["wrong"][0][1])

    def _send_pack(self, outgoing: Sequence[_Outgoing]) -> dict[str, Any]:
        with closing(self._remote.ask("PUT /pack", {"Transfer-Encoding": "chunked"})) as wire:
            writer = PackWriter(wire, self._remote.checksums)
            for item, one in enumerate(outgoing):
                if one.is_folder:
                    writer.mark(item, Kind.FOLDER, os.fsencode(one.target))
                else:
                    _pack_file(writer, item, one)
            writer.end()
            return self._remote.facts(wire, "a pack")

    def _push_large(self, one: _Outgoing) -> int:
        """Send one file by itself, and return how often that had to be done again; runs in a thread."""
        for again in range(1 + AGAIN):
            with self._movements.movement(one.owner.name + one.part) as movement:
                attempt = partial(upload, self._remote, one.source, one.target)
                try:
                    one.size_bytes, one.checksum, facts = self._remote.insist(one.owner.name, attempt, int)
                except OSError as error:
                    raise unreadable(one.owner.name, one.source, error.errno or 0) from error
                self._check(facts, [one])
                movement.add(one.size_bytes)
            if not facts["wrong"]:
                return again
        raise self._stays_wrong(one, facts["wrong"][0][1])

    def _move(self, moves: Sequence[tuple[str, str]]) -> None:
        body = json.dumps(moves).encode()

        def ask() -> None:
            with closing(self._remote.ask("POST /move", {"Content-Length": len(body)}, body)) as wire:
                self._remote.facts(wire, "to rename directories")

        self._remote.insist("directories", ask, int)

    def _check(self, facts: dict[str, Any], outgoing: Sequence[_Outgoing]) -> None:
        for item, number, folder, free in facts["refused"]:
            one = outgoing[item]
            where = f"{folder} at {self._remote.url}"
            if number in NO_ROOM:
                raise no_room(f"'{one.owner.name}'", where, sum(each.size_bytes for each in outgoing), free)
            reason = "the server may not write there" if number == errno.EPERM else os.strerror(number)
            raise StagingError(f"Cannot write '{one.owner.name}' into {where}: {reason}.")

    def _stays_wrong(self, one: _Outgoing, found: str) -> StagingError:
        source = f"{one.source}, sent to {self._remote.url},"
        return wrong_checksum(one.owner.name, source, one.checksum, found, 1 + AGAIN)

    def _sum_up(self, outgoing: Sequence[_Outgoing]) -> None:
        trees: dict[str, list[_Outgoing]] = {}
        for one in outgoing:
            if one.owner.name.endswith("/"):
                trees.setdefault(one.owner.name, []).append(one)
            else:
                self._movements.note(one.owner.name, one.size_bytes, one.checksum)
        for name, parts in trees.items():
            sums = [(one.part, one.checksum) for one in parts if one.part]
            checksum = of_tree(sums, self._remote.checksums)
            self._movements.note(name, sum(one.size_bytes for one in parts), checksum)


def _planned(found: Sequence[tuple[Item, str]]) -> _Plan:
    plan = _Plan()
    for item, source in found:
        facts = check_kind(item, source)
        if not item.name.endswith("/"):
            plan.outgoing.append(_Outgoing(source, item.path, item, "", facts.st_size))
            continue
        hidden = hidden_in(os.path.dirname(item.path.rstrip("/")))
        plan.moves.append((hidden, item.path.rstrip("/")))
        plan.outgoing.append(_Outgoing(source, f"{hidden}/", item, "", 0))
        try:
            for part in parts_of(source):
                target = f"{hidden}/{part.name}"
                plan.outgoing.append(_Outgoing(part.path, target, item, part.name, part.size_bytes))
        except OSError as error:
            raise unreadable(item.name, error.filename or source, error.errno or 0) from error
    return plan


def _pack_file(writer: PackWriter, item: int, one: _Outgoing) -> None:
    try:
        descriptor = os.open(one.source, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise unreadable(one.owner.name, one.source, error.errno or 0) from error
    try:
        added = writer.file(item, os.fsencode(one.target), descriptor)
    finally:
        os.close(descriptor)
    if added is None:
        raise StagingError(f"'{one.owner.name}' grew while it was sent: {one.source}.")
    one.size_bytes, digest = added
    one.checksum = shown(digest)
