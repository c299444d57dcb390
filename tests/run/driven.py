"""Real runs of small workflows: a driver in a process of its own, and what its log says afterwards."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from longpole.log.files import read_logs
from longpole.log.frames import NOTES
from longpole.run.request import Request, as_text
from longpole.store.derive.workflow_notes import End, Part, Parts, Start
from longpole.store.driver_log import DriverLog, JobLog
from longpole.store.workflow import read_driver_logs

_DECODER = msgspec.json.Decoder(End | Parts | Start)


@dataclass
class Driven:
    """A workflow in a folder of its own, which can be driven again and again."""

    folder: Path
    # Others may test on this machine as well: who goes on with a run ends all processes of its id.
    run_id: str = field(default_factory=lambda: f"{secrets.randbelow(10**8):08}")

    @property
    def run_path(self) -> Path:
        return self.folder / "runs" / f"20260101T000000Z-made-{self.run_id}"

    @property
    def kept(self) -> Path:
        return self.folder / "work" / "files"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def log(self) -> DriverLog:
        return read_driver_logs(self.run_path)

    def write(self, **files: str) -> Driven:
        """Write files of the workflow's folder; ``__`` in a name stands for a dot."""
        for name, text in files.items():
            path = self.folder / "described" / name.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self

    def command(self, **wishes) -> list[str]:
        (self.run_path / "log").mkdir(parents=True, exist_ok=True)
        described = self.folder / "described"
        file = next(each for each in described.iterdir() if each.name in ("workflow.yaml", "workflow.py"))
        folders = {name: str(self.folder / name) for name in ("out", "work", "scratch")}
        request = Request(str(file), **{**folders, "cores": 2, **wishes})
        return [sys.executable, "-P", "-m", "longpole.app.driving", str(self.run_path), as_text(request), ""]

    def drive(self, code: int = 0, **wishes) -> Driven:
        """Run it to its end, which must be this; ``environment`` adds variables."""
        environment = {**os.environ, **wishes.pop("environment", {})}
        self.said = subprocess.run(
            self.command(**wishes),
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
            cwd="/",
            check=False,
        )
        assert self.said.returncode == code, self.said.stderr
        return self

    def start(self, **wishes) -> subprocess.Popen[str]:
        """Begin to run it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(self.command(**wishes), stdout=pipe, stderr=pipe, text=True, cwd="/")

    def job(self, task: str) -> JobLog:
        """Return what became of the job of a task that is one of its own."""
        return self.log.jobs[self.number(task)]

    def number(self, task: str) -> int:
        return next(number for number, planned in self.log.planned.items() if planned.name == task)

    def causes(self, task: str) -> tuple[str, ...]:
        return self.job(task).causes

    def notes(self) -> list[End | Parts | Start]:
        """Return what drivers told of attempts."""
        return notes_in(self.run_path)

    def parts(self, task: str, kind: str = "exec") -> list[Part]:
        """Return the phases of all attempts of a job, as they have ended."""
        number = self.number(task)
        every = (note for note in self.notes() if not isinstance(note, Start) and note.job == number)
        return [part for note in every for part in note.parts if part.kind == kind and part.end]

    def printed(self, name: str) -> str:
        """Return what tasks of a template have printed."""
        found = sorted((self.run_path / "output").glob(f"{name}.*.log"))
        return "".join(path.read_text() for path in found)


def notes_in(run_path: Path) -> list[End | Parts | Start]:
    """Return what drivers told of attempts in the log of a run."""
    found = []
    for path in sorted((run_path / "log").iterdir()):
        for frames, _ in read_logs(str(path)):
            for frame in frames:
                if frame.kind == NOTES:
                    found += [note for line in bytes(frame.payload).split(b"\n") for note in _note(line)]
    return found


def _note(line: bytes) -> list[End | Parts | Start]:
    try:
        return [_DECODER.decode(line)]
    except msgspec.MsgspecError:
        return []
