"""Containers by Apptainer, or Singularity: over all that it takes, directories and squashfs included."""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.model.containers import ContainerError, Inside
from longpole.run.containers.bind_mounts import mount_arguments
from longpole.run.containers.images import ImageKind, check_root, kind_of, refused
from longpole.run.containers.programs import program, why_not

# Not --cleanenv, as --containall has it: the command's variables are those that Apptainer is started with.
_APART = ("--contain", "--ipc", "--pid", "--no-privs", "--no-eval")


class Apptainer:
    """Runs commands by apptainer exec."""

    name = "apptainer"

    def __init__(self) -> None:
        """Find the program."""
        self._program = program("apptainer", "singularity")

    def missing(self) -> str:
        """Return why it cannot be used on this machine, as a sentence; empty where it can."""
        if not self._program:
            return "neither apptainer nor singularity is installed (see apptainer.org)."
        reason = why_not([self._program, "--version"])
        return f"apptainer cannot be used here: {reason}." if reason else ""

    def prepare(self, image: str) -> str:
        """Run nothing in an image once: that fetches what must be fetched, and shows whether it can be used.

        Raises:
            ContainerError: There is no such image, or it cannot be used.
        """
        kind = kind_of(image)
        if kind is ImageKind.REFERENCE and "://" not in image:
            raise refused(image, kind, self.name)
        if kind is ImageKind.DIRECTORY:
            check_root(image, image)
        prepared = image if kind is ImageKind.REFERENCE else os.path.realpath(image)
        if reason := why_not([self._program or "apptainer", "exec", *_APART, prepared, "/bin/sh", "-c", ":"]):
            raise ContainerError(f"Apptainer cannot use the image '{image}': {reason}.")
        return prepared

    def command(self, prepared: str, inside: Inside, arguments: Sequence[str]) -> list[str]:
        """Return the command line that executes arguments within; changes nothing."""
        return [
            *(self._program or "apptainer", "exec", *_APART),
            *("--home", inside.folder, *mount_arguments(inside), "--pwd", inside.folder),
            *(prepared, *arguments),
        ]

    def release(self, prepared: str) -> None:
        """Do nothing: Apptainer keeps no image mounted between commands."""
