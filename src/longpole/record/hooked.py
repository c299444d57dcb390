"""The environment in which every Python of a recorded command loads our hooks."""

from __future__ import annotations

import os

# How much the hooks note: low, auto or high.
DETAIL_VARIABLE = "LONGPOLE_DETAIL"
PATH_VARIABLE = "PYTHONPATH"
SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooks", "site")


def with_hooks(environment: dict[str, str], detail: str) -> None:
    """Put the folder of our sitecustomize before what Python looks through, and say how much to note."""
    there = environment.get(PATH_VARIABLE, "")
    if SITE not in there.split(os.pathsep):
        environment[PATH_VARIABLE] = f"{SITE}{os.pathsep}{there}" if there else SITE
    environment[DETAIL_VARIABLE] = detail
