"""A data set of a few small chests, prepared, and the programs of the workflow as commands."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.workflows.modules import WORKFLOWS, Modules

LUNG = WORKFLOWS / "lung"
own, programs = Modules("lung"), Modules("lung/bin")
SIZE, WIDTH = 32, 0.125
COUNTS = {"train": 4, "val": 2, "test": 3}
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Micro:
    """A folder with prepared pictures, in which programs are called."""

    folder: Path

    def call(self, program: str, *arguments: str) -> Done:
        """Call a program of the workflow in a process of its own."""
        command = [sys.executable, str(LUNG / "bin" / f"{program}.py"), *arguments]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=100, check=False
        )

    def call_here(self, program: str, *arguments: str) -> Done:
        """Call a program in this process, which need not load PyTorch again; it ends as in one of its own."""
        said, told, code = io.StringIO(), io.StringIO(), 0
        with pytest.MonkeyPatch.context() as here, redirect_stdout(said), redirect_stderr(told):
            here.chdir(self.folder)
            here.setattr("sys.argv", [f"{program}.py", *arguments])
            try:
                getattr(programs, program).main()
            except SystemExit as end:
                told.write(f"{end.code}\n")
                code = 1
        return subprocess.CompletedProcess([program, *arguments], code, said.getvalue(), told.getvalue())

    def listed(self, name: str, files: list[str]) -> str:
        """Write a list; return its name."""
        (self.folder / name).write_text("".join(f"{file}\n" for file in files))
        return name

    def images(self, split: str) -> list[str]:
        """Return the prepared pictures of a split."""
        made = ("norm", "flip", "rot") if split == "train" else ("norm",)
        return [f"prepared/{split}{n}_{each}.png" for n in range(COUNTS[split]) for each in made]

    def masks(self, split: str) -> list[str]:
        """Return the masks of a split, as jobs see them."""
        made = [f"masks/{split}{n}_mask.png" for n in range(COUNTS[split])]
        if split == "train":
            made += [
                f"prepared/{split}{n}_mask_{e}.png" for n in range(COUNTS[split]) for e in ("flip", "rot")
            ]
        return made

    def search(self, **other: object) -> list[str]:
        """Return the arguments of a search."""
        lists = {
            f"{split}-{kind}": self.listed(f"{split}-{kind}", getattr(self, kind)(split))
            for split in ("train", "val")
            for kind in ("images", "masks")
        }
        told = {"rates": "0.01,0.003,1e-7", "trials": 3, "checkpoint": "hpo.pth", "out": "best.json"}
        return _options({**lists, **told, **_ALIKE, **other})

    def training(self, **other: object) -> list[str]:
        """Return the arguments of a training."""
        (self.folder / "best.json").write_text(json.dumps({"rate": 0.01}))
        lists = {
            kind: self.listed(f"all-{kind}", getattr(self, kind)("train") + getattr(self, kind)("val"))
            for kind in ("images", "masks")
        }
        told = {"parameters": "best.json", "unfinished": "left.pth", "model": "model.pth"}
        return _options({**lists, **told, **_ALIKE, **other})


_ALIKE = {"width": WIDTH, "batch": 8, "epochs": 2, "seed": 3, "device": "cpu"}


def _options(told: dict[str, Any]) -> list[str]:
    return [text for name, value in told.items() for text in (f"--{name}", str(value))]


def make_micro(folder: Path) -> Micro:
    """Draw the chests of all splits, and prepare them."""
    chest, preprocess = own.synthetic.chest, programs.preprocess
    for name in ("images", "masks", "prepared"):
        (folder / name).mkdir()
    wanted = [(split, n) for split, count in COUNTS.items() for n in range(count)]
    for number, (split, n) in enumerate(wanted):
        pictures = chest((1, number), (96, 94))
        for kind, picture in zip(
            (f"images/{split}{n}.png", f"masks/{split}{n}_mask.png"), pictures, strict=True
        ):
            Image.fromarray(picture).save(folder / kind)
        pair = str(folder / f"images/{split}{n}.png"), str(folder / f"masks/{split}{n}_mask.png")
        preprocess.prepare((pair[0], pair[1] if split == "train" else ""), SIZE, folder / "prepared")
    return Micro(folder)
