"""What all ways on one machine share: what is checked before anything moves, how movements are counted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from longpole.model.staging import Item, Moved, StagingError
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.landing import landing
from longpole.run.staging.movements import SMALL, Movement, Movements, all_of
from longpole.run.staging.refusals import check_names, check_paths, not_made, unreadable, unwritable
from longpole.run.staging.web import fetch_absent
from longpole.units import Bytes


class Errand(NamedTuple):
    """One item on its way.

    Attributes:
        item: What is moved.
        source: Where it lies, on this machine.
        target: Where it goes; the folder of it is there.
        size_bytes: How large it is; of a directory, what is known of it, since it would have to be walked.
    """

    item: Item
    source: str
    target: str
    size_bytes: Bytes | None

    @property
    def is_folder(self) -> bool:
        """Whether a directory is moved."""
        return self.item.name.endswith("/")


class Put(NamedTuple):
    """What came of one errand.

    Attributes:
        size_bytes: How large the item is.
        checksum: Empty where none was made.
        files: How many files it has.
        moved_bytes: How many bytes crossed: none where a link does.
        again: How many files had to be moved again.
    """

    size_bytes: Bytes
    checksum: str
    files: int
    moved_bytes: Bytes
    again: int = 0


Run = Callable[[Errand], Put]
"""Does one errand; may raise ``OSError`` or ``StagingError``."""


def bring_each(
    items: Sequence[Item],
    folder: str,
    checksums: Checksums,
    run: Run,
    put: Callable[[str, str], None] | None = None,
) -> Moved:
    """Bring items one by one; what lies nowhere yet is fetched from its address first.

    Args:
        items: What is brought.
        folder: Where it goes.
        checksums: Whether what is fetched is checked.
        run: Does one errand.
        put: What gives all of them their places in the end; see ``landing``.

    Raises:
        StagingError: One cannot be read or written.
    """
    check_names(items)
    movements = Movements()
    try:
        with landing(folder, put) as ground:
            here = fetch_absent(items, ground, movements, checksums)
            check_paths(here)
            _run_all(
                [_errand(one, one.path, ground.path(one.name.rstrip("/"))) for one in here], movements, run
            )
    except OSError as error:
        raise unwritable(error, all_of(items), folder, known_bytes(items)) from error
    return movements.moved()


def send_each(items: Sequence[Item], folder: str, run: Run) -> Moved:
    """Send items one by one, if all of them are there.

    Raises:
        StagingError: One is not there, or cannot be written.
    """
    check_paths(items)
    movements = Movements()
    _run_all([_errand(item, source, item.path) for item, source in found_in(items, folder)], movements, run)
    return movements.moved()


def found_in(items: Sequence[Item], folder: str) -> list[tuple[Item, str]]:
    """Return items of a job's folder, and where they lie in it.

    Raises:
        StagingError: Some are not there.
    """
    check_names(items)
    sources = [f"{folder}/{item.name}".rstrip("/") for item in items]
    missing = [item.name for item, source in zip(items, sources, strict=True) if not os.path.exists(source)]
    if missing:
        raise not_made(missing, folder)
    return list(zip(items, sources, strict=True))


def check_kind(item: Item, path: str) -> os.stat_result:
    """Return the facts of a file, or directory.

    Raises:
        StagingError: It is not there, or a directory where a file was promised, or the other way round.
    """
    try:
        facts = os.stat(path)
    except OSError as error:
        raise unreadable(item.name, path, error.errno or 0) from error
    is_folder = stat.S_ISDIR(facts.st_mode)
    if is_folder != item.name.endswith("/"):
        found, wanted = ("a directory", "a file") if is_folder else ("a file", "a directory")
        raise StagingError(f"'{item.name}' is to be {wanted}, and {path} is {found}.")
    return facts


def known_bytes(items: Iterable[Item]) -> Bytes | None:
    """Return how large items are together, as far as that is known; None if it is known of none."""
    known = [item.size_bytes for item in items if item.size_bytes is not None]
    return sum(known) if known else None


def _errand(item: Item, source: str, target: str) -> Errand:
    source = source.rstrip("/")
    facts = check_kind(item, source)
    size = item.size_bytes if item.name.endswith("/") else facts.st_size
    return Errand(item, source, target.rstrip("/"), size)


def _run_all(errands: Sequence[Errand], movements: Movements, run: Run) -> None:
    small = [one for one in errands if not one.is_folder and (one.size_bytes or 0) <= SMALL]
    with movements.movement(all_of([one.item for one in small])) as movement:
        for errand in small:
            _run_one(errand, movements, movement, run)
    for errand in errands:
        if errand.is_folder or (errand.size_bytes or 0) > SMALL:
            with movements.movement(errand.item.name) as movement:
                _run_one(errand, movements, movement, run)


def _run_one(errand: Errand, movements: Movements, movement: Movement, run: Run) -> None:
    name = errand.item.name
    try:
        put = run(errand)
    except OSError as error:
        if error.filename == errand.source:
            raise unreadable(name, errand.source, error.errno or 0) from error
        folder = os.path.dirname(errand.target)
        raise unwritable(error, f"'{name}'", folder, errand.size_bytes) from error
    movement.files += put.files
    movement.moved_bytes += put.moved_bytes
    movements.again += put.again
    movements.note(name, put.size_bytes, put.checksum)
