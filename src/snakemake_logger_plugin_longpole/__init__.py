"""``snakemake --logger longpole``: an unchanged workflow becomes a run of Longpole.

The only place that knows Snakemake's events; what they mean is in ``longpole.exchange.snakemake``. Whatever
goes wrong in here is said once, and the workflow goes on. (Snakemake takes the types of settings as they are,
so their evaluation is not put off in this file.)
"""

import atexit
import os
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from logging import LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from longpole.app.sacct import await_accounts
from longpole.app.telling import Telling
from longpole.exchange.rows import Rows, as_columns
from longpole.exchange.sacct_jobs import TELLER as SLURM
from longpole.exchange.snakemake import TELLER, Workflow
from longpole.exchange.snakemake_cluster import submitted_in
from snakemake_logger_plugin_longpole.command_lines import GROUP_VARIABLE
from snakemake_logger_plugin_longpole.steps import record_steps, starts_steps

# How long Snakemake may have to wait for us at its end.
_SACCT_LIMIT_S = 20.0


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """What can be said on Snakemake's command line, as ``--logger-longpole-name``."""

    name: str = field(default="", metadata={"help": "What to call the run (default: the workflow's folder)."})
    processes: bool = field(
        default=False, metadata={"help": "Record the processes of each job as well, and show them under it."}
    )
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
        self._groups: dict[str, list[int]] = {}
        self._given_up = _is_job_of_a_workflow(sys.argv)
        self._beginning = threading.Lock()
        recorded = getattr(self.settings, "processes", False)
        if recorded and not (self._given_up or self.common_settings.dryrun):
            self._record_processes()

    def emit(self, record: LogRecord) -> None:
        """Take one event; others than those on jobs are none of ours."""
        if self._given_up or self.common_settings.dryrun:
            return
        try:
            # not now: events wait in a queue while their job already runs
            self._take(record, int(record.created * 1e9))
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
        elif event == LogEvent.GROUP_INFO:
            self._take_group(list(getattr(record, "jobs", ())))
        elif event is None:
            self._take_message(record.getMessage())

    def _take_group(self, jobs: list[Any]) -> None:
        """Remember who belongs together: a group is called by the name of one of its jobs."""
        for job in jobs:
            self._groups[str(job.uuid())] = _numbers(one.jobid for one in jobs)

    def _take_message(self, message: str) -> None:
        """Take what only the words say: which job of the cluster was submitted for which of ours."""
        for named, identity in submitted_in(message):
            for number in [int(named)] if named.isdigit() else self._groups.get(named, []):
                self._workflow.submit_job(number, identity)

    def _record_processes(self) -> None:
        try:
            from snakemake_logger_plugin_longpole.processes import record_jobs

            record_jobs(self._run_path)
        except Exception as error:  # noqa: BLE001  another Snakemake than we know
            reason = f"{type(error).__name__}: {error}"
            sys.stderr.write(f"longpole: the processes of jobs are not recorded: {reason}\n")

    def _run_path(self) -> str:
        """Return the folder of the run; a job may ask for it before we hear that the workflow has begun."""
        self._begin()
        return "" if self._given_up or self._telling is None else self._telling.path

    def _begin(self) -> None:
        with self._beginning:
            if self._telling is None and not self._given_up:
                self._begin_run()

    def _begin_run(self) -> None:
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
        try:
            self._tell_the_rest()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  nobody is there to hear of it
            self._give_up(f"{type(error).__name__}: {error}")

    def _tell_the_rest(self) -> None:
        if self._telling is not None and not self._given_up:
            self._tell(self._workflow.end_workflow(time.time_ns()))
            self._ask_cluster(self._telling)
        telling, self._telling = self._telling, None
        if telling is not None:
            telling.end(failed=self._workflow.failed)
            if telling.trouble:
                self._give_up(telling.trouble)

    def _ask_cluster(self, telling: Telling) -> None:
        """Tell what Slurm knows of the jobs that it ran, and what it does not answer."""
        entries, reason = await_accounts(self._workflow.cluster_jobs, _SACCT_LIMIT_S)
        self._tell(self._workflow.account(entries))
        if entries:
            telling.credit(SLURM)
        gap = self._workflow.unaccounted(entries, reason)
        if gap:
            telling.lack(gap)

    def _give_up(self, reason: str) -> None:
        if not self._given_up:
            self._given_up = True
            sys.stderr.write(f"longpole: {reason} The workflow goes on without being recorded.\n")


def _numbers(jobs: Iterable[Any]) -> list[int]:
    """Return ids of jobs; those of groups are words, and their jobs are told one by one."""
    return [int(job) for job in jobs if str(job).isdigit()]


def _is_job_of_a_workflow(command: list[str]) -> bool:
    """Return whether this Snakemake executes a single job for another one, which tells of it."""
    follows = dict(pairwise(command))
    return follows.get("--mode") in ("subprocess", "remote")


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


if starts_steps(sys.argv, os.environ):
    record_steps()
elif os.environ.get(GROUP_VARIABLE) and _is_job_of_a_workflow(sys.argv):
    from snakemake_logger_plugin_longpole.processes import record_group

    record_group()
