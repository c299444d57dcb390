"""Where the time of one run went, as placements of data are compared: computing, staging, end to end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

VARIANT = "variant"


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The times of one run; None is what cannot be known, and ``reasons`` says why.

    Attributes:
        run: Its id.
        name: What it is called.
        workflow: The workflow that it executed; empty if it is no run of one of ours.
        placement: Where the data of that workflow was; empty if it is none.
        parameters: What the workflow ran with, by name.
        command: The command line, of a run that is no workflow's.
        state: running, finished or broken.
        trouble: Why its times should not be set beside those of others; empty if it came to a good end.
        tasks: How many tasks ran, auxiliary ones not counted; of a plain command none.
        cached: How many did not run, since what they make was there.
        retries: How many attempts there were beyond the first of each job.
        drivers: How many drivers ran it, one after the other: more than 1 if it was resumed.
        end_to_end_s: From its begin to its end.
        compute_s: What executions of tasks took, added up, failed attempts included; of a command, all of it.
        stage_in_s: What bringing files to jobs took, added up; the image of a container is one of them.
        stage_out_s: What bringing files from jobs to their places took, added up.
        container_s: What starting containers took, added up.
        queue_s: How long jobs waited for room, added up.
        reasons: Why a time is not known, by the name of the field.
    """

    run: str
    name: str
    workflow: str = ""
    placement: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    state: str = ""
    trouble: str = ""
    tasks: int = 0
    cached: int = 0
    retries: int = 0
    drivers: int = 0
    end_to_end_s: float | None = None
    compute_s: float | None = None
    stage_in_s: float | None = None
    stage_out_s: float | None = None
    container_s: float | None = None
    queue_s: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def resumed(self) -> bool:
        """Whether several drivers ran it: the time between them counts as end to end."""
        return self.drivers > 1

    @property
    def setting(self) -> tuple[str, str, tuple[tuple[str, str], ...]]:
        """What repeats have in common: workflow, placement and parameters; else name and command line."""
        if not self.workflow:
            return self.name, "", (("command", self.command),)
        return self.workflow, self.placement, tuple(sorted(self.parameters.items()))
