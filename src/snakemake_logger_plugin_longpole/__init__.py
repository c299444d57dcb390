"""``snakemake --logger longpole``: an unchanged workflow becomes a run of Longpole.

The only place that knows Snakemake's events; what they mean is in ``longpole.exchange.snakemake``. Whatever
goes wrong in here is said once, and the workflow goes on. (Snakemake takes the types of settings as they are,
so their evaluation is not put off in this file.)
"""

import atexit
import os
import sys
import time
from dataclasses import dataclass, field
from logging import LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from longpole.app.telling import Telling
from longpole.exchange.snakemake import TELLER, Rows, Workflow, as_columns


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """What can be said on Snakemake's command line, as ``--logger-longpole-name``."""

    name: str = field(default="", metadata={"help": "What to call the run (default: the workflow's folder)."})
    runs: str = field(default="", metadata={"help": "Where runs are kept (default: as 'longpole record')."})


class LogHandler(LogHandlerBase):
    """Hears Snakemake's events, and tells them as rows of a run."""

    writes_to_stream = writes_to_file = False
    has_filter = has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Begin with nothing heard."""
        self._telling: Telling | None = None
        self._workflow = Workflow(_Disk())
        self._given_up = False

    def emit(self, record: LogRecord) -> None:
        """Take one event; others than those on jobs are none of ours."""
        if self._given_up or self.common_settings.dryrun:
            return
        try:
            self._take(record, time.time_ns())
        except Exception as error:  # noqa: BLE001  the workflow must go on
            self._give_up(f"{type(error).__name__}: {error}")

    def _take(self, record: LogRecord, now_ns: int) -> None:
        event, workflow = getattr(record, "event", None), self._workflow
        if event == LogEvent.WORKFLOW_STARTED:
            self._begin()
            workflow.start_workflow(now_ns)
        elif event == LogEvent.RESOURCES_INFO:
            workflow.remote = workflow.remote or hasattr(record, "nodes")
        elif event == LogEvent.JOB_STARTED:
            workflow.start_jobs(_numbers(getattr(record, "jobs", [])), now_ns)
        elif event == LogEvent.JOB_INFO:
            self._tell(workflow.describe_job(int(vars(record)["jobid"]), vars(record), now_ns))
        elif event == LogEvent.JOB_FINISHED:
            self._tell(workflow.end_job(int(vars(record)["job_id"]), now_ns, failed=False))
        elif event == LogEvent.JOB_ERROR:
            self._tell(workflow.end_job(int(vars(record)["jobid"]), now_ns, failed=True))

    def _begin(self) -> None:
        settings: Any = self.settings
        name = getattr(settings, "name", "") or Path.cwd().name or "snakemake"
        self._telling = Telling(TELLER, name, sys.argv, getattr(settings, "runs", ""))
        atexit.register(self._end)
        if self._telling.trouble:
            self._give_up(self._telling.trouble)

    def _tell(self, rows: Rows) -> None:
        for table, some in rows.items():
            if some and self._telling is not None:
                self._telling.tell(table, as_columns(table, some))

    def _end(self) -> None:
        if self._telling is not None and not self._given_up:
            self._tell(self._workflow.end_workflow(time.time_ns()))
        telling, self._telling = self._telling, None
        if telling is not None:
            telling.end(failed=self._workflow.failed)
            if telling.trouble:
                self._give_up(telling.trouble)

    def _give_up(self, reason: str) -> None:
        if not self._given_up:
            self._given_up = True
            sys.stderr.write(f"longpole: {reason} The workflow goes on without being recorded.\n")


def _numbers(jobs: Any) -> list[int]:  # noqa: ANN401  Snakemake's own
    return [int(job) for job in jobs]


class _Disk:
    """Files as they are; Snakemake names them from where it runs."""

    def size_of(self, name: str) -> int | None:
        status = _status(name)
        return status.st_size if status else None

    def changed_ns(self, name: str) -> int | None:
        status = _status(name)
        return status.st_mtime_ns if status else None

    def read(self, name: str) -> str:
        try:
            return Path(name).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return ""


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except (OSError, ValueError):
        return None
