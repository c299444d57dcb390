"""Workflows of Pegasus, from the database that its monitoring daemon keeps (``*.stampede.db``).

What becomes of it: tasks and jobs are tasks (``pegasus_tasks`` says which); each submission of a job is a
phase ``job`` with its ``attempt``, in it ``pre``, ``queue``, ``hold``, ``exec`` and ``post``
(``pegasus_states``), and in ``exec`` what kickstart measured: ``stage_in`` and ``stage_out`` of transfer
jobs, else ``jobstep``. A workflow is a phase; one inside another lies in the execution of the job that ran
it. Edges of kind ``control`` are those between jobs, as DAGMan kept them; of kind ``data`` those between
tasks, as the workflow has them. CPU time is user and system together; that of DAGMan's scripts, which is
only their duration, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from longpole.exchange.cycles import check_tables
from longpole.exchange.pegasus_database import MAGIC, Database, read_database
from longpole.exchange.pegasus_rows import PegasusRows
from longpole.exchange.rows import as_columns
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "Pegasus"
_ITS_NAME = "stampede.db"
# What lies among the first pages of such a database.
_ITS_WORDS = (b"WORKFLOW_STARTED", b"job_instance")


class PegasusImporter:
    """Reads stampede databases; see ``model.ports.Importer``."""

    name = "pegasus"
    title = "a stampede database of Pegasus"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this is a database with the words or the name of Pegasus."""
        named = file.name.endswith(_ITS_NAME) or any(word in file.head for word in _ITS_WORDS)
        return file.head.startswith(MAGIC) and named

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of all workflows in these files."""
        rows = PegasusRows()
        labels: list[str] = []
        for file in files:
            database = read_database(file.name, file.read())
            if not database.jobs:
                raise UnreadableFileError(f"{file.name} is a Pegasus database without any job.")
            labels += _labels_of(database)
            rows.add(database)
        tables = {table: as_columns(table, some) for table, some in rows.finished().items() if some}
        try:
            check_tables(tables)
        except UnreadableFileError as error:
            names = ", ".join(file.name for file in files)
            raise UnreadableFileError(f"Nothing can be made of {names}: {error}") from error
        name = wishes.name or (labels[0] if len(labels) == 1 else "pegasus")
        return Told(TELLER, name or "pegasus", tables, tuple(rows.gaps))


PEGASUS = PegasusImporter()


def _labels_of(database: Database) -> list[str]:
    """Return what the workflows are called that lie in no other."""
    ids = {workflow.id for workflow in database.workflows}
    return [one.label or "" for one in database.workflows if one.above not in ids or one.above == one.id]
