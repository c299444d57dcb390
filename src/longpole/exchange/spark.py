"""Spark's event logs, as ``spark.eventLog.enabled`` makes Spark write them.

What becomes of them: the application is a phase; in it each job (``sparkjob``), in that each try of each of
its stages (``sparkstage``). A task of Spark, one partition of one stage, is a task here, its type the name of
its stage. Each of its tries is a phase ``job`` from when it could have been launched (its stage was
submitted, or the try before it failed) to its end, in it ``queue`` until it was launched and ``exec`` from
then on, in the process that is its executor. Executors are processes; which slot of one a task had is not
told: lanes are as many as tasks overlapped.

Edges lead from the phase of a stage to that of each stage that reads what it wrote: between tasks they would
be as many as the product of the tasks of both. CPU time is that of Spark's own threads; where Python does
the work, it is not in there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longpole.exchange.cycles import check_order
from longpole.exchange.spark_application import Application
from longpole.exchange.spark_events import ApplicationStart, Reading, events_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "Spark"
_BEGIN = re.compile(rb'\s*\{\s*"Event"\s*:\s*"(?:SparkListener|org\.apache\.spark\.)')
_LOOKED_FOR = "no event is an ApplicationStart, JobStart, StageSubmitted, TaskStart or an end of these."
_ROLLED = re.compile(r"events_(\d{1,9})_")


class SparkImporter:
    """Reads event logs of Spark; see ``model.ports.Importer``."""

    name = "spark"
    title = "an event log of Spark"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this begins with an event of Spark."""
        return _BEGIN.match(file.head) is not None

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of the application that these files, pieces of one log, tell of."""
        application = Application()
        readings = [_read(file, application) for file in sorted(files, key=_place)]
        gaps = [gap for reading in readings for gap in reading.gaps()]
        tables = application.finished()
        if "phases" not in tables:
            names = ", ".join(file.name for file in files)
            why = gaps[0] if gaps else _LOOKED_FOR
            raise UnreadableFileError(f"{names}: an event log of Spark in which nothing has run: {why}")
        _check(files, application)
        name = wishes.name or application.name or "spark"
        return Told(TELLER, name, tables, (*gaps, *application.gaps()))


SPARK = SparkImporter()


def _read(file: ForeignFile, application: Application) -> Reading:
    reading = Reading(file.name)
    for event in events_of(file.read(), reading):
        if isinstance(event, ApplicationStart) and application.is_another(event):
            raise UnreadableFileError(
                f"{file.name} is of another application of Spark than the file before: import one at a time."
            )
        application.take(event)
    if not reading.events:
        why = next(reading.gaps(), "there is no event in it.")
        raise UnreadableFileError(f"{file.name} is no event log of Spark: {why}")
    return reading


def _check(files: Sequence[ForeignFile], application: Application) -> None:
    """Refuse what cannot be true."""
    names = ", ".join(file.name for file in files)
    if application.all_contradict:
        raise UnreadableFileError(f"The 'Finish Time' of all tasks of {names} is before their 'Launch Time'.")
    try:
        check_order(*application.stages(), what="stage")
    except UnreadableFileError as error:
        raise UnreadableFileError(f"Nothing can be made of {names}, by its 'Parent IDs': {error}") from error


def _place(file: ForeignFile) -> int:
    """Return which piece of a rolled log a file is; one that says nothing keeps its place."""
    found = _ROLLED.search(file.name.rpartition("/")[2])
    return int(found[1]) if found else 0
