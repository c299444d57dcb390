"""Draws the cases that come with Longpole, each in the views that say something; the docs show these figures.

python examples/draw_cases.py [FOLDER]
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from longpole.app.main import cli
from longpole.describe.library import shipped_cases

DOCS = Path(__file__).parents[1] / "docs/figures/roofline"
MORE = {
    "bgw-64": ("tasks", "gantt"),
    "bgw-1024": ("tasks",),
    "lcls-cori": ("gantt",),
    "gptune-rci": ("breakdown",),
    "gptune-spawn": ("breakdown",),
}


def main() -> None:
    """Draw all."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    folder.mkdir(parents=True, exist_ok=True)
    for case in shipped_cases():
        for view in ("workflow", *MORE.get(case, ())):
            _draw(case, view, folder)


def _draw(case: str, view: str, folder: Path) -> None:
    name = case if view == "workflow" else f"{case}-{view}"
    with contextlib.redirect_stdout(io.StringIO()):
        code = cli(["roofline", case, "--view", view, "--out", str(folder / f"{name}.svg")])
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
