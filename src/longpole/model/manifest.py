"""The manifest of a run: what ``run.json`` says about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Launcher:
    """The process that launched a run: enough to tell whether it still lives."""

    host: str = ""
    boot: str = ""
    pid: int = 0
    start_ticks: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU time of the recorder itself."""

    launcher_cpu_s: float = 0.0
    agent_cpu_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of a run without reading its log.

    ``made`` is when it came into its folder of runs, where that is not when it started: it was imported, or
    merged of others. ``series`` is the name of the series that it was made for, and ``series_round`` the
    round there, from 1.
    """

    schema_version: int
    id: str
    name: str
    state: State = State.RUNNING
    joint: bool = False
    started: str = ""
    made: str = ""
    command: tuple[str, ...] = ()
    folder: str = ""
    user: int = -1
    launcher: Launcher = Launcher()
    rate_hz: float = 0.0
    environment: dict[str, str] | None = None
    longpole: str = ""
    exit_code: int | None = None
    signal: int | None = None
    makespan_s: float | None = None
    left_behind: int = 0
    recording: Cost | None = None
    troubles: tuple[str, ...] = ()
    series: str = ""
    series_round: int = 0
