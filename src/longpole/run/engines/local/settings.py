"""What the local engine has to know of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from longpole.model.ports import Runtime, Way
from longpole.model.staging import Item
from longpole.model.workflow import Template
from longpole.run.memory.limits import Limits
from longpole.run.staging.checksums import Digest
from longpole.units import Nanoseconds


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engine has to know of a run.

    Attributes:
        run_id: Which run, for the variables of its jobs.
        scratch: The folder that jobs have their folders in.
        output: The folder that what they print goes to.
        environment: The variables of all jobs.
        templates: Functions that may be called.
        kept: The folder in which files that jobs make are kept under their names.
        digest: Makes the checksum of a whole file.
        way: Makes a way out of its name.
        runtime: Returns the runtime for an image.
        limits: How memory is held.
        bring: The way in.
        send: The way out.
        sends_images: Whether a container image is brought to every job like a file.
        workers: How many functions run at once.
        carriers: How many processes move files.
        gpus: Which GPUs there are.
        folder: The folder of the workflow, in which functions find modules.
        checkpoint: Returns the newest of a checkpoint: what the run keeps, or what lies in some folders.
        grace_ns: How long a task may take to end when it is asked to, before it is killed.
        shared: Folders that a container shares with the recorder: path to whether it may be written.
    """

    run_id: str
    scratch: str
    output: str
    environment: Mapping[str, str]
    templates: Mapping[str, Template]
    kept: str
    digest: Digest
    way: Callable[[str], Way]
    runtime: Callable[[str], Runtime]
    limits: Limits
    bring: str = "link"
    send: str = "link"
    sends_images: bool = False
    workers: int = 1
    carriers: int = 2
    gpus: tuple[int, ...] = ()
    folder: str = ""
    checkpoint: Callable[[str, Sequence[str]], Item | None] = lambda *_: None
    grace_ns: Nanoseconds = 10_000_000_000
    shared: Mapping[str, bool] = field(default_factory=dict)
