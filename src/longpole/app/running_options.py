"""From the options of ``longpole run`` to what a run is asked for."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass

import msgspec

from longpole.app.plan import chosen_of, clustering_of
from longpole.app.resumable import check_own, check_workflow
from longpole.app.standing import workflow_run
from longpole.errors import UsageError
from longpole.record.rundir import find_runs_folder, plain_name
from longpole.run.containers.runtimes import NAMES
from longpole.run.request import Request, as_request
from longpole.store.selection import runs_folder
from longpole.store.workflow import read_driver_logs
from longpole.units import parse_size


@dataclass(frozen=True, slots=True)
class Given:
    """The options as they were typed; None: nothing was said."""

    workflow: str | None = None
    placement: str | None = None
    cluster: str | None = None
    pairs: tuple[str, ...] = ()
    out: str | None = None
    work: str | None = None
    scratch: str | None = None
    cores: int | None = None
    memory: str | None = None
    keep_going: bool = False
    fresh: bool = False
    checksums: str | None = None
    container: str | None = None
    ssh: str | None = None
    resume: str | None = None
    repeat: int | None = None
    placements: str | None = None
    vary: tuple[str, ...] = ()
    series: str | None = None
    name: str | None = None
    runs: str = ""
    as_json: bool = False

    @property
    def asks_for_series(self) -> bool:
        """Whether several runs are to be made, to be compared."""
        return bool(self.repeat or self.placements or self.vary or self.series)


def ask(given: Given) -> tuple[Request, str]:
    """Return what a new run is asked for, and what it is called.

    Raises:
        UsageError: An option cannot be used.
    """
    if given.workflow is None:
        raise UsageError("Which workflow? Give its file or folder, or --resume to go on with a run.")
    if given.cluster:
        clustering_of(given.cluster)
    if given.container is not None and given.container not in NAMES:
        raise UsageError(
            f"There is no container runtime '{given.container}'. Choose one of {', '.join(NAMES)}."
        )
    workflow = os.path.abspath(given.workflow)
    name = given.name or _name_of(workflow)
    runs = find_runs_folder(given.runs)
    work = os.path.abspath(given.work or os.path.join(os.path.dirname(runs), "work", _folder_name(workflow)))
    request = Request(
        workflow=workflow,
        name=given.name or "",
        chosen=chosen_of(given.pairs),
        placement=given.placement or "links",
        cluster=given.cluster or "",
        out=os.path.abspath(given.out or "results"),
        work=work,
        scratch=os.path.abspath(given.scratch or os.path.join(work, "scratch")),
        cores=given.cores or 0,
        memory_bytes=parse_size(given.memory) if given.memory else 0,
        keep_going=given.keep_going,
        reuse=not given.fresh,
        checksums=given.checksums or "on",
        container=given.container or "auto",
        ssh=given.ssh or "",
    )
    return request, name


def ask_again(given: Given) -> tuple[str, Request]:
    """Return the run to go on with, and what it was asked for; a few things may be chosen anew.

    Raises:
        UsageError: It was no run of a workflow, or not our own, or what is chosen cannot be changed now.
    """
    for option, value in _fixed(given).items():
        if value:
            raise UsageError(f"{option} was chosen when the run began, and cannot be changed with --resume.")
    wanted = "" if given.resume == "latest" else given.resume or ""
    folder = runs_folder(given.runs)
    entry = workflow_run(wanted, folder)
    check_own(entry, folder)
    path = entry.path
    log = read_driver_logs(path)
    if not log.sessions:
        raise UsageError(f"{path} is not the run of a workflow: there is nothing to go on with.")
    request = as_request(log.sessions[-1].driver.request)
    check_workflow(path, request.workflow)
    if given.workflow and os.path.abspath(given.workflow) != request.workflow:
        raise UsageError(f"{path} is a run of {request.workflow}, and not of {given.workflow}.")
    changes: dict[str, object] = {"keep_going": given.keep_going}
    if given.scratch:
        changes["scratch"] = os.path.abspath(given.scratch)
    if given.out:
        changes["out"] = os.path.abspath(given.out)
    if given.cores:
        changes["cores"] = given.cores
    if given.memory:
        changes["memory_bytes"] = parse_size(given.memory)
    return str(path), msgspec.structs.replace(request, **changes)


def _fixed(given: Given) -> dict[str, object]:
    """Return the options that hold for a run as a whole."""
    return {
        "--placement": given.placement,
        "--cluster": given.cluster,
        "--work": given.work,
        "--set": given.pairs,
        "--fresh": given.fresh,
        "--checksums": given.checksums,
        "--container": given.container,
        "--ssh": given.ssh,
        "--name": given.name,
        "--repeat": given.repeat,
        "--placements": given.placements,
        "--vary": given.vary,
        "--series": given.series,
    }


def _folder_name(workflow: str) -> str:
    """Return the name of a workflow's work folder: two that are called alike have two folders."""
    return f"{plain_name(_name_of(workflow))}-{zlib.crc32(os.fsencode(workflow)):08x}"


def _name_of(workflow: str) -> str:
    """Return what a workflow is called by its file: that of its folder, where the file says nothing."""
    stem = os.path.splitext(os.path.basename(workflow))[0]
    return os.path.basename(os.path.dirname(workflow)) if stem == "workflow" else stem or "workflow"
