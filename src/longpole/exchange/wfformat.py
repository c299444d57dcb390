"""WfFormat, the form of WfCommons for executions of scientific workflows: an importer.

Form: JSON, versions 1.0 to 1.6. What becomes of it: a task for each task; a phase ``workflow`` with the
recorded makespan, in it a phase ``exec`` for each task that ran; an edge for each dependency, of kind
``data`` with its bytes where files are handed over; files, and in ``opens`` which task uses which; machines;
CPU time, bytes and memory as declared. Left out: arguments, authors, energy, power and priorities.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from longpole.errors import UsageError
from longpole.exchange.unreadable import UnreadableFileError
from longpole.exchange.wfformat_doubts import gaps_of, without_wrong_starts
from longpole.exchange.wfformat_instance import Instance
from longpole.exchange.wfformat_read import read_instance
from longpole.exchange.wfformat_tables import tables_of
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

_WORKFLOW = re.compile(rb'"workflow"\s*:\s*\{')
_PARTS = re.compile(rb'"(?:schemaVersion|specification|makespan|makespanInSeconds|jobs|tasks)"\s*:')
_NAMELESS = "workflow"


class WfFormatImporter:
    """Reads an instance of WfFormat; see ``model.ports.Importer``."""

    name = "wfformat"
    title = "a WfFormat instance"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this is an object with a workflow in it."""
        head = file.head
        return head.lstrip().startswith(b"{") and bool(_WORKFLOW.search(head) and _PARTS.search(head))

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run that an instance tells of; several instances are several runs."""
        if len(files) > 1:
            raise UsageError(f"{files[1].name} is a run of its own: import WfFormat instances one by one.")
        [file] = files
        try:
            instance = read_instance(file.read(), wishes.zone)
        except UnreadableFileError as error:
            raise UnreadableFileError(f"Nothing can be made of {file.name}: {error}") from error
        name = wishes.name or instance.name or PurePath(file.name).stem or _NAMELESS
        return tell(without_wrong_starts(replace(instance, name=name)))


WFFORMAT = WfFormatImporter()


def tell(instance: Instance) -> Told:
    """Return a run of what an instance tells."""
    system = instance.system[0]
    source = f"a WfFormat instance of {system}" if system else "a WfFormat instance"
    return Told(source, instance.name, tables_of(instance), gaps_of(instance))
