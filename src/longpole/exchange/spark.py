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

from longpole.exchange.spark_application import Application
from longpole.exchange.spark_events import ApplicationStart, Reading, events_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "Spark"
_BEGIN = re.compile(rb'\s*\{\s*"Event"\s*:\s*"(?:SparkListener|org\.apache\.spark\.)')
_ZSTD, _ZSTD_NAMES = b"\x28\xb5\x2f\xfd", (".zstd", ".zst")
_ROLLED = re.compile(r"events_(\d{1,9})_")


class SparkImporter:
    """Reads event logs of Spark; see ``model.ports.Importer``."""

    name = "spark"
    title = "an event log of Spark"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this begins with an event of Spark, or is packed as Spark 4 packs its logs."""
        return _BEGIN.match(file.head) is not None or _is_zstd(file)

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of the application that these files, pieces of one log, tell of."""
        application = Application()
        readings = [_read(file, application) for file in sorted(files, key=_place)]
        gaps = [gap for reading in readings for gap in reading.gaps()]
        tables = application.finished()
        if "phases" not in tables:
            names = ", ".join(file.name for file in files)
            raise UnreadableFileError(f"{names}: an event log of Spark in which nothing has run.")
        name = wishes.name or application.name or "spark"
        return Told(TELLER, name, tables, (*gaps, *application.gaps()))


SPARK = SparkImporter()


def _read(file: ForeignFile, application: Application) -> Reading:
    if _is_zstd(file):
        raise UnreadableFileError(
            f"{file.name} is packed with zstd, as Spark 4 does by itself. Unpack it on the way: "
            "'zstd -dc FILE | longpole import -'."
        )
    reading = Reading(file.name)
    for event in events_of(file.read(), reading):
        if isinstance(event, ApplicationStart) and application.is_another(event):
            raise UnreadableFileError(
                f"{file.name} is of another application of Spark than the file before: import one at a time."
            )
        application.take(event)
    if not reading.events:
        raise UnreadableFileError(f"{file.name} is no event log of Spark: there is no event in it.")
    return reading


def _is_zstd(file: ForeignFile) -> bool:
    return file.head.startswith(_ZSTD) and file.name.endswith(_ZSTD_NAMES)


def _place(file: ForeignFile) -> int:
    """Return which piece of a rolled log a file is; one that says nothing keeps its place."""
    found = _ROLLED.search(file.name.rpartition("/")[2])
    return int(found[1]) if found else 0
