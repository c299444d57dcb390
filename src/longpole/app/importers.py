"""Which importers there are, ours and others', and which of them a file is for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from longpole.errors import UsageError
from longpole.exchange.opening import opened
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile, Importer
from longpole.model.told import Told, Wishes

GROUP = "longpole.importers"
# By name, in the order in which files are offered to them: the surest first.
OURS = {
    "sacct": "longpole.exchange.sacct:SACCT",
    "pegasus": "longpole.exchange.pegasus:PEGASUS",
    "spark": "longpole.exchange.spark:SPARK",
    "nextflow": "longpole.exchange.nextflow:NEXTFLOW",
}


def read_files(names: Sequence[str], wishes: Wishes, form: str = "") -> Told:
    """Return the run that files tell of; ``form`` names the importer where the files do not show it.

    Raises:
        LongpoleError: A file cannot be read, or nothing was recognised in it.
    """
    importers = importers_by_name()
    if form and form not in importers:
        raise UsageError(f"There is no importer '{form}'. There are {', '.join(sorted(importers))}.")
    with opened(names) as files:
        chosen = importers[form] if form else _one_for_all(files, list(importers.values()))
        return chosen.read(files, wishes)


def importers_by_name() -> dict[str, Importer]:
    """Return all importers by name; one of ours cannot be replaced, only added to."""
    found = {name: _loaded(target) for name, target in OURS.items()}
    for entry in entry_points(group=GROUP):
        try:
            found.setdefault(entry.name, cast(Importer, entry.load()))
        except Exception as error:  # somebody else's code may fail in any way
            raise UsageError(
                f"The importer '{entry.name}' of {entry.value} cannot be loaded: {error}."
            ) from error
    return found


def _loaded(target: str) -> Importer:
    module, _, name = target.partition(":")
    return cast(Importer, getattr(import_module(module), name))


def _one_for_all(files: Sequence[ForeignFile], importers: list[Importer]) -> Importer:
    chosen = {file.name: _importer_for(file, importers) for file in files}
    titles = {importer.title for importer in chosen.values()}
    if len(titles) > 1:
        each = "; ".join(f"{name} is {importer.title}" for name, importer in chosen.items())
        raise UsageError(f"Files of one run must be of one form: {each}. Import them one after the other.")
    return next(iter(chosen.values()))


def _importer_for(file: ForeignFile, importers: list[Importer]) -> Importer:
    for importer in importers:
        if importer.recognises(file):
            return importer
    looked_for = ", ".join(importer.title for importer in importers)
    raise UnreadableFileError(
        f"{file.name} is of no form that can be imported. What was looked for: {looked_for}."
    )
