"""What to type next, from where a run of a workflow stands."""

from __future__ import annotations

import os
from shlex import quote

from longpole.model.standing import RunState, Standing
from longpole.record.rundir import find_runs_folder


def following(standing: Standing, where: str) -> tuple[str, ...]:
    """Return commands that make sense now; ``where`` is what ``runs_option`` returns."""
    run = f"{standing.run}{where}"
    match standing.state:
        case RunState.RUNNING:
            return (f"longpole status {run} --watch",)
        case RunState.FINISHED:
            return f"longpole explain {run}", f"longpole show {run}"
        case RunState.FAILED:
            return f"longpole run --resume {run}", f"longpole run --resume {run} --keep-going"
        case _:
            return f"longpole run --resume {run}", f"longpole show {run}"


def runs_option(run_path: str | os.PathLike[str]) -> str:
    """Return the option that says where a run is kept; nothing if it is found from here without it."""
    runs = os.path.dirname(os.path.realpath(run_path))
    return "" if os.path.realpath(find_runs_folder("")) == runs else f" --runs {quote(runs)}"
