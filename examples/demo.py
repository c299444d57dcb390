"""Run a scientific workflow under two placements of its data, and ask where its time went.

Galaxies are drawn, prepared, searched, trained on and evaluated: eleven jobs, once with files sent to each of
them and once as one cluster. Data stays beside the workflow, and runs where all runs are kept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GALAXY = Path(__file__).resolve().parent.parent / "workflows" / "galaxy"
PLACEMENTS = "baseline,clustering"
FIGURE = "demo.svg"
NEXT = (
    ("run workflows/galaxy --repeat 5 --vary variant=published,tuned", "what tuned jobs gain, and how sure"),
    ("run workflows/lung", "X-rays: the README of each workflow tells how to make its data"),
    ("table --like II", "the tables of the paper, of any runs"),
    ("roofline latest", "what bounds it on this machine, and how far it is from the roof"),
    ("plan workflows/galaxy --set scale=paper --placement baseline", "28,793 images: what would happen"),
    ("record -- python examples/train.py /tmp/galaxies", "any command, recorded"),
)


def main() -> int:
    series = f"galaxy-demo-{time.strftime('%m%d-%H%M%S')}"
    workflow = os.path.relpath(GALAXY)
    call([sys.executable, f"{workflow}/generate.py", "--scale", "tiny", "--out", f"{workflow}/data/tiny"])
    with tempfile.TemporaryDirectory(prefix="longpole-demo-") as folder:
        longpole("run", workflow, "--placements", PLACEMENTS, "--series", series, "--out", folder)
        names, values = (line.split(",") for line in Path(folder, "results.csv").read_text().splitlines())
    longpole("explain", "latest")
    longpole("table", series)
    longpole("compare", series, "--out", FIGURE)
    scores = (f"{name} {float(value):.1%}" for name, value in zip(names, values, strict=True))
    print(f"\nThe galaxies of the test set, by the model that was trained: {', '.join(scores)}")
    print(f"The figure is {FIGURE}.\n\nNext:")
    called = command()
    for arguments, meaning in NEXT:
        print(f"  {called} {arguments}\n      {meaning}")
    return 0


def longpole(*arguments: str) -> None:
    """Call Longpole, and show how."""
    call([sys.executable, "-m", "longpole", *arguments])


def call(words: list[str]) -> None:
    """Call a program, and show what a user would type; if it fails, that is all there is to see."""
    shown = " ".join(words[1:]).removeprefix("-m ")
    print(f"$ {shown if shown.startswith('longpole') else f'python {shown}'}", flush=True)
    done = subprocess.run(words, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def command() -> str:
    """Return how this user would call Longpole from here."""
    if shutil.which("longpole"):
        return "longpole"
    beside = Path(sys.executable).with_name("longpole")
    return os.path.relpath(beside) if beside.exists() else f"{sys.executable} -m longpole"


if __name__ == "__main__":
    sys.exit(main())
