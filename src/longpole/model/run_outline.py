"""What a run was as a workflow: its jobs, files, images and what was assigned to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RunOutline:
    """A run as a workflow; None is what cannot be known, and ``reasons`` says why.

    Attributes:
        jobs: How many jobs it has; those that did not need to run are counted.
        auxiliary_jobs: How many the runner added.
        connections: How many transfers went on at once, at most.
        files_staged_in: Files staged in by the rule of the paper: for every job, the image too.
        files_brought: Files that were really copied to jobs.
        bytes_brought: How much that was.
        files_sent: Files that were really copied back from jobs.
        bytes_sent: How much that was.
        input_files: Files that jobs use and no job makes.
        input_bytes: How large these are.
        image_bytes: How large the container images are.
        cpu_h: Cores that jobs had, times the hours they had them; auxiliary jobs included.
        gpu_h: The same of GPUs.
        reasons: Why a figure is not known, by the name of the field.
    """

    jobs: int | None = None
    auxiliary_jobs: int | None = None
    connections: int | None = None
    files_staged_in: int | None = None
    files_brought: int | None = None
    bytes_brought: int | None = None
    files_sent: int | None = None
    bytes_sent: int | None = None
    input_files: int | None = None
    input_bytes: int | None = None
    image_bytes: int | None = None
    cpu_h: float | None = None
    gpu_h: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
