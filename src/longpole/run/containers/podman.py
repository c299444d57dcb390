"""Containers by podman: over a directory, a squashfs file, or an image that podman has or can fetch.

Beside the command line there is a process of podman's own that keeps the container, so a container goes on if
the process that we started is killed. Each one carries the name of its driver: those of a driver that has
died are removed when the next image is made ready, and its own when a driver gives an image back. Podman
puts containers into control groups of its own: memory limits that a job joins do not reach it.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator, Sequence

from longpole.model.containers import ContainerError, Inside
from longpole.record.proc import lives, read_small, read_stat
from longpole.run.containers.bind_mounts import mount_arguments
from longpole.run.containers.images import ImageKind, check_root, kind_of, refused
from longpole.run.containers.mounts import Mounts
from longpole.run.containers.programs import answer, program, why_not

_LABEL = "longpole.driver"
# What podman itself goes by, and what the command is told by value: both may use these for different things.
_OF_PODMAN = ("CONTAINERS_", "DBUS_", "XDG_")
_FOR_BOTH = ("HOME", "PATH", "TMPDIR")
_PROTECTED = ("--read-only", "--read-only-tmpfs", "--cap-drop=ALL", "--security-opt=no-new-privileges")
_LIMITED = (
    ("nofile", resource.RLIMIT_NOFILE, "/proc/sys/fs/nr_open"),
    ("nproc", resource.RLIMIT_NPROC, "/proc/sys/kernel/pid_max"),
)
_INIT = ("/usr/libexec/podman/catatonit", "/usr/local/libexec/podman/catatonit", "/usr/lib/podman/catatonit")


class Podman:
    """Runs commands by podman."""

    name = "podman"

    def __init__(self, mounts: Mounts | None = None) -> None:
        """Take where squashfs files are mounted; by default in a folder of this user's own."""
        self._mounts = mounts or Mounts()
        self._program = program("podman")
        self._init = ["--init"] if program("catatonit", *_INIT) else []

    def missing(self) -> str:
        """Return why it cannot be used on this machine, as a sentence; empty where it can."""
        if not self._program:
            return "podman is not installed (on Debian: apt-get install podman)."
        reason = why_not([self._program, "info"])
        return f"podman cannot make containers here: {reason}." if reason else ""

    def prepare(self, image: str) -> str:
        """Return a directory, or the reference of an image that podman has.

        Raises:
            ContainerError: There is no such image, or it cannot be used.
        """
        self._sweep()
        kind = kind_of(image)
        if kind is ImageKind.SIF:
            raise refused(image, kind, self.name)
        if kind is ImageKind.REFERENCE:
            return self._fetched(image)
        root = os.path.realpath(image)
        if kind is ImageKind.SQUASHFS:
            root = self._mounts.mount(root)
        try:
            check_root(root, image)
        except ContainerError:
            self._mounts.unmount(root)
            raise
        return root

    def command(self, prepared: str, inside: Inside, arguments: Sequence[str]) -> list[str]:
        """Return the command line that executes arguments within; changes nothing."""
        # An overlay keeps podman from making its mount points in the directory itself.
        image = ["--rootfs", f"{prepared}:O"] if prepared.startswith("/") else [prepared]
        return [
            *(program("env") or "env", *_own_environment(), self._program or "podman", "run", "--rm"),
            *("--network=host", "--log-driver=none", "--pull=never", *_PROTECTED, *_limits(), *self._init),
            *("--label", f"{_LABEL}={_driver()}", "--workdir", inside.folder, "--entrypoint="),
            *(*_environment(inside), *mount_arguments(inside), *image, *arguments),
        ]

    def release(self, prepared: str) -> None:
        """Remove what is left of our containers, and unmount the image; never raises."""
        self._remove(f"{_LABEL}={_driver()}")
        self._mounts.unmount(prepared)

    def _fetched(self, image: str) -> str:
        reference = image.removeprefix("docker://")
        if why_not([self._program, "image", "exists", reference]):
            reason = why_not([self._program, "pull", "--quiet", image])
            if reason:
                raise ContainerError(f"Podman has no image '{image}' and cannot fetch it: {reason}.")
        return reference

    def _sweep(self) -> None:
        """Remove the containers of drivers that have died."""
        shown = answer([self._program, "ps", "--all", "--format", f'{{{{ index .Labels "{_LABEL}" }}}}'])
        for driver in set(shown.split()):
            pid, _, ticks = driver.partition("-")
            if pid.isdigit() and ticks.isdigit() and not lives(int(pid), int(ticks)):
                self._remove(f"{_LABEL}={driver}")

    def _remove(self, label: str) -> None:
        found = answer([self._program, "ps", "--all", "--quiet", "--filter", f"label={label}"]).split()
        if found:
            why_not([self._program, "rm", "--force", "--time", "0", *found])


def _driver() -> str:
    """Return the name of this process: pids recur, but not with the same start."""
    stat = read_stat(os.getpid())
    return f"{os.getpid()}-{stat.start_ticks if stat else 0}"


def _own_environment() -> list[str]:
    """Return the variables that podman itself needs: it is started with those of the command."""
    names = [name for name in os.environ if name in _FOR_BOTH or name.startswith(_OF_PODMAN)]
    return [f"{name}={os.environ[name]}" for name in names]


def _environment(inside: Inside) -> Iterator[str]:
    """Give the variables of the command, by name only: everybody can read a command line."""
    yield from ("--env", f"HOME={inside.folder}")
    for name, value in inside.environment.items():
        if name != "HOME":
            shown = name in _FOR_BOTH or name.startswith(_OF_PODMAN)
            yield from ("--env", f"{name}={value}" if shown else name)


def _limits() -> Iterator[str]:
    """Give the limits that this process has: podman would raise them, and fails where it may not.

    It has lowered its own to what the kernel can have at most before it sets those of a container.
    """
    for name, which, most in _LIMITED:
        bound = int(read_small(most) or 0) or resource.RLIM_INFINITY
        own = resource.getrlimit(which)
        soft, hard = (bound if limit == resource.RLIM_INFINITY else min(limit, bound) for limit in own)
        yield from ("--ulimit", f"{name}={soft}:{hard}")
