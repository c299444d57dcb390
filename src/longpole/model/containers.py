"""Containers: the image a job runs in, and what it may see there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.errors import LongpoleError


class ContainerError(LongpoleError):
    """A container could not be made ready; the sentence says which image, why, and what to do."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Inside:
    """What a command in a container sees, besides its image.

    Attributes:
        folder: The job's folder, absolute; the command starts in it.
        read_only: Names in that folder that the command may read and not change: files, or directories
            (ending in a slash) all of which are inputs.
        environment: The variables of the command.
        shared: Folders that are shared as they are, at their own paths, for the recorder: path to whether it
            may be written.
    """

    folder: str
    read_only: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, bool] = field(default_factory=dict)
