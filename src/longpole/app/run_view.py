"""What a user sees of a run while it goes, and at its end."""

from __future__ import annotations

import sys
import time

from longpole.app.following import following, runs_option
from longpole.app.live_screen import screen_on
from longpole.app.pacing import PaceMeter
from longpole.app.standing_json import standing_json
from longpole.model.standing import Results, RunState, Standing
from longpole.present.lines import is_terminal, surface_of
from longpole.present.standing import standing_lines
from longpole.present.words import counted
from longpole.run.assembly import Assembly
from longpole.run.request import Request
from longpole.run.standing import Executing, known_after, state_of, types_of

# What is drawn may cost so much of the driver's time; a run that is over sooner than this shows its end only.
_SHARE = 0.02
_FIRST_S = 0.2
_CODES = {RunState.FINISHED: 0, RunState.STOPPED: 130}


class RunView:
    """Shows one run."""

    def __init__(self, assembly: Assembly, path: str, request: Request, began_s: float | None = None) -> None:
        """Take what is shown; ``began_s`` is when its user began to wait, by the monotonic clock."""
        self._assembly, self._request = assembly, request
        self._where = runs_option(path)  # now: the driver goes from folder to folder
        self._began_s = time.monotonic() if began_s is None else began_s
        self._after = known_after(assembly.runner.expansion)
        self._screen = screen_on(sys.stderr)
        self._executing, self._meter = Executing(), PaceMeter()
        self._next_s = time.monotonic() + (_FIRST_S if is_terminal(sys.stderr) else 0.0)
        self._asked = self._failed = 0

    def turn(self) -> None:
        """Show where the run stands, if it is time for that."""
        now_s = time.monotonic()
        asked, failed = self._assembly.engine.asked_to_stop, len(self._assembly.driver.failed)
        if now_s < self._next_s and asked == self._asked and failed == self._failed:
            return
        self._asked, self._failed = asked, failed
        self._screen.show(self._standing(now_s), self._stopping())
        cost_s = time.monotonic() - now_s
        self._next_s = now_s + max(self._screen.interval_s, cost_s / _SHARE)

    def end(self, json_wanted: str) -> None:
        """Say how it ended."""
        standing = self._standing(time.monotonic())
        nexts = following(standing, self._where)
        self._screen.end(standing_lines(standing, nexts, surface_of(sys.stderr)))
        if json_wanted:
            from longpole.app.json_output import write_json

            write_json(standing_json(standing))

    def _stopping(self) -> str:
        running = len(self._assembly.runner.running)
        if not self._asked or not running:
            return ""
        jobs = counted(running, "job")
        if self._asked > 1:
            return f"ending {jobs} at once"
        again = "press Ctrl-C again" if is_terminal(sys.stderr) else "another signal is needed"
        return f"stopping {jobs}; {again} to end them at once"

    def _standing(self, now_s: float) -> Standing:
        assembly, runner = self._assembly, self._assembly.runner
        engine, state = assembly.engine, state_of(runner)
        running, waiting = self._executing.look(engine.opened(), engine.unbegun(), time.monotonic_ns())
        types = types_of(runner, self._after, waiting)
        made = sum(each.ran for each in types) - len(runner.reused)
        return Standing(
            run=assembly.run_id,
            workflow=runner.expansion.workflow.name,
            placement=self._request.placement,
            state=state,
            elapsed_s=now_s - self._began_s,
            cores=assembly.cores,
            jobs_running=len(runner.running) - waiting.total(),
            types=types,
            running=running,
            failures=tuple(assembly.driver.failed),
            results=Results(self._request.out, assembly.assisting.files, assembly.assisting.size_bytes),
            pace=self._meter.pace(now_s, made, types) if state is RunState.RUNNING else None,
            exit_code=None if state is RunState.RUNNING else _CODES.get(state, 1),
        )
