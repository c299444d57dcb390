"""The driver as a process: reads the workflow, runs it, shows how it goes, and says how it ended."""

from __future__ import annotations

import json
import os
import sys
import time

from longpole.app.main import guarded
from longpole.app.plan import clustering_of
from longpole.app.run_view import RunView
from longpole.app.work_folder import take_work_folder
from longpole.describe.load import load_workflow
from longpole.model.plan import Placement
from longpole.plan.clusters import clustering_for
from longpole.record.manifest import save
from longpole.run.assembly import Assembly
from longpole.run.request import Request, as_request

FAILED, INTERRUPTED = 1, 130


def drive(path: str, request: Request, json_wanted: str) -> int:
    """Run a workflow in a run's folder; return the exit code.

    Raises:
        LongpoleError: The workflow cannot be run; nothing has run.
    """
    began = time.monotonic()
    workflow = load_workflow(request.workflow, request.chosen)
    placement = Placement(request.placement)
    clustering = clustering_of(request.cluster) if request.cluster else clustering_for(placement, workflow)
    with take_work_folder(request.work):
        assembly = Assembly(workflow, request, clustering, path)
        note_state(path, name=request.name or workflow.name, state="running", exit_code=None)
        view = RunView(assembly, path, request, began)
        try:
            assembly.driver.run(view.turn)
            assembly.finish()
        finally:
            assembly.close()
    runner = assembly.runner
    code = 0 if runner.well else INTERRUPTED if runner.stopped else FAILED
    note_state(path, state="finished", exit_code=code, makespan_s=round(time.monotonic() - began, 6))
    view.end(json_wanted)
    return code


def note_state(path: str, **facts: object) -> None:
    """Put where a run stands into its manifest; a run without one, or a damaged one, is none the worse."""
    try:
        with open(os.path.join(path, "run.json"), encoding="utf-8") as file:
            known = json.load(file)
        if isinstance(known, dict):
            save(path, {**known, **facts})
    except (OSError, ValueError):
        pass  # it has been removed meanwhile


def main(arguments: list[str]) -> int:
    """Be the driver that the launcher has started."""
    path, text, json_wanted = arguments
    return guarded(lambda: drive(path, as_request(text), json_wanted))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
