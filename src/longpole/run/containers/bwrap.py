"""Containers by bubblewrap: over a directory, or a squashfs file that is mounted for all jobs.

A command sees its image read-only, new /proc, /dev and /tmp, its job's folder at its own path, its inputs
there read-only, and what is shared for the recorder. The network is the host's. It has processes, IPC and
host name for itself, and no capability, also if root runs it. It ends when the process that started it ends.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.model.containers import ContainerError, Inside
from longpole.run.containers.images import ImageKind, check_root, kind_of, refused
from longpole.run.containers.layout import root_arguments
from longpole.run.containers.mounts import Mounts
from longpole.run.containers.programs import program, why_not

_APART = (
    *("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
)


class Bubblewrap:
    """Runs commands by bwrap."""

    name = "bwrap"

    def __init__(self, mounts: Mounts | None = None) -> None:
        """Take where squashfs files are mounted; by default in a folder of this user's own."""
        self._mounts = mounts or Mounts()
        self._program = program("bwrap")

    def missing(self) -> str:
        """Return why it cannot be used on this machine, as a sentence; empty where it can."""
        if not self._program:
            return "bubblewrap is not installed (on Debian: apt-get install bubblewrap)."
        reason = why_not([self._program, *_APART, "--ro-bind", "/", "/", "--proc", "/proc", "true"])
        return f"bubblewrap cannot make containers here: {reason}." if reason else ""

    def prepare(self, image: str) -> str:
        """Return the directory that holds the root of an image.

        Raises:
            ContainerError: There is no such image, or it cannot be used.
        """
        kind = kind_of(image)
        if kind in (ImageKind.SIF, ImageKind.REFERENCE):
            raise refused(image, kind, self.name)
        if kind is ImageKind.DIRECTORY:
            check_root(image, image)
            return os.path.realpath(image)
        return self._mounted(image)

    def command(self, prepared: str, inside: Inside, arguments: Sequence[str]) -> list[str]:
        """Return the command line that executes arguments within; changes nothing."""
        folders = {**inside.shared, inside.folder: True}
        layout = root_arguments(prepared, list(folders))
        binds = [
            part
            for path, writable in sorted(folders.items())
            for part in ("--bind" if writable else "--ro-bind", path, path)
        ]
        return [
            *(self._program or "bwrap", *_APART),
            *(*layout, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),
            *(*binds, *_kept(inside), "--remount-ro", "/"),
            *("--setenv", "HOME", inside.folder, "--chdir", inside.folder, "--", *arguments),
        ]

    def release(self, prepared: str) -> None:
        """Unmount an image that was mounted, if no other driver needs it; never raises."""
        self._mounts.unmount(prepared)

    def _mounted(self, image: str) -> str:
        point = self._mounts.mount(os.path.realpath(image))
        try:
            check_root(point, image)
        except ContainerError:
            self._mounts.unmount(point)
            raise
        return point


def _kept(inside: Inside) -> list[str]:
    """Return the arguments that mount inputs over themselves, read-only; one that is absent is left out."""
    paths = [os.path.join(inside.folder, name.rstrip("/")) for name in sorted(inside.read_only)]
    return [part for path in paths for part in ("--ro-bind-try", path, path)]
