"""Squashfs files mounted for reading: once for all jobs, and for all drivers of one user.

Method: as root by a loop device, else by squashfuse. A mount lies in a private folder and is named by device,
inode and time of change of its image, so the same image is found again. A driver holds a shared lock on the
mount while it needs it; the kernel drops the lock of a driver that dies. Whoever gets the lock for itself
alone knows that nobody needs the mount, and unmounts it: when it gives it back, or when it mounts the next.
Jobs that outlive their driver have the image in a mount namespace of their own, and keep it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import tempfile
import time

from longpole.model.containers import ContainerError
from longpole.run.containers.programs import program, why_not

_LOCK = ".lock"
_PRIVATE = 0o700
# How often, and how long apart, we try while others mount and unmount the same image.
_TRIES, _PAUSE_S = 50, 0.02
_OPTIONS = ("-o", "loop,ro,nosuid,nodev")
_INSTALL = "Run as root, or install squashfuse and fuse3, or unpack the image with unsquashfs."


class Mounts:
    """The images that this process has mounted, or found mounted."""

    def __init__(self, folder: str = "") -> None:
        """Keep mounts in a folder; by default one of this user's own in the folder for temporary files."""
        self._folder = folder or os.path.join(tempfile.gettempdir(), f"longpole-images-{os.geteuid()}")
        self._locks: dict[str, int] = {}

    def mount(self, image: str) -> str:
        """Return where an image is mounted until ``unmount`` is called; may be called again.

        Raises:
            ContainerError: It cannot be mounted.
        """
        self._make_folder()
        point = os.path.join(self._folder, _name_of(image))
        if point not in self._locks:
            self._locks[point] = _mounted(image, point)
        self._sweep()
        return point

    def unmount(self, point: str) -> None:
        """Give a mount back: it goes when no other driver needs it. Never raises."""
        lock = self._locks.pop(point, None)
        if lock is not None:
            _unmount_if_alone(point, lock)

    def _make_folder(self) -> None:
        try:
            os.makedirs(self._folder, _PRIVATE, exist_ok=True)
            found = os.lstat(self._folder)
        except OSError as error:
            raise ContainerError(f"Images cannot be mounted in {self._folder}: {error.strerror}.") from error
        # The folder for temporary files is everybody's: another user may have been there first.
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise ContainerError(
                f"Images cannot be mounted in {self._folder}: others may write there. Set TMPDIR."
            )

    def _sweep(self) -> None:
        """Unmount what killed drivers left behind."""
        for name in os.listdir(self._folder):
            point = os.path.join(self._folder, name.removesuffix(_LOCK))
            if name.endswith(_LOCK) and point not in self._locks:
                try:
                    _unmount_if_alone(point, os.open(point + _LOCK, os.O_RDWR | os.O_CLOEXEC))
                except OSError:
                    continue  # another driver was faster


def _name_of(image: str) -> str:
    found = os.stat(image)
    return f"{found.st_dev:x}-{found.st_ino:x}-{found.st_mtime_ns:x}"


def _mounted(image: str, point: str) -> int:
    """Return a shared lock on a mount that is there."""
    for _ in range(_TRIES):
        lock = os.open(point + _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _take(lock, fcntl.LOCK_EX) and _is_current(point, lock) and not os.path.ismount(point):
            _mount_or_clean(image, point, lock)
        # Waits only for one who mounts or unmounts. Between two locks another may have unmounted it again.
        fcntl.flock(lock, fcntl.LOCK_SH)
        if _is_current(point, lock) and os.path.ismount(point):
            return lock
        os.close(lock)
        time.sleep(_PAUSE_S)
    raise ContainerError(
        f"The image '{image}' cannot be read at {point}, where another run mounted it. End that run first."
    )


def _mount_or_clean(image: str, point: str, lock: int) -> None:
    try:
        _mount(image, point)
    except ContainerError:
        _unmount_if_alone(point, lock)
        raise


def _mount(image: str, point: str) -> None:
    _detach_dead(point)
    os.makedirs(point, _PRIVATE, exist_ok=True)
    reasons = []
    if os.geteuid() == 0:
        reasons.append(why_not([program("mount") or "mount", "-t", "squashfs", *_OPTIONS, image, point]))
    if all(reasons) and (fuse := program("squashfuse")):
        reasons.append(why_not([fuse, "-o", "ro,nosuid,nodev", image, point]))
    if all(reasons):
        told = "; ".join(filter(None, reasons)) or "squashfuse is not installed"
        raise ContainerError(f"The squashfs image '{image}' cannot be mounted ({told}). {_INSTALL}")


def _unmount_if_alone(point: str, lock: int) -> None:
    """Unmount what nobody else needs, and close the lock; a busy mount stays for the next sweep."""
    try:
        if _take(lock, fcntl.LOCK_EX) and _is_current(point, lock) and _unmounted(point):
            os.rmdir(point)
            os.unlink(point + _LOCK)
    except OSError:
        pass
    finally:
        os.close(lock)


def _unmounted(point: str) -> bool:
    _detach_dead(point)
    if not os.path.lexists(point):
        os.makedirs(point, _PRIVATE)
    return not os.path.ismount(point) or (_detach(point) and not os.path.ismount(point))


def _detach_dead(point: str) -> None:
    """Unmount what a squashfuse that was killed has left: nothing can be read there."""
    try:
        os.stat(point)
    except OSError as error:
        if error.errno == errno.ENOTCONN:
            _detach(point)


def _detach(point: str) -> bool:
    commands = [[program("umount") or "umount", point]]
    commands += [[name, "-u", point] for name in filter(None, [program("fusermount3", "fusermount")])]
    return any(not why_not(command) for command in commands)


def _take(lock: int, how: int) -> bool:
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_current(point: str, lock: int) -> bool:
    """Return whether a lock is that of the file that is there now, and not of one that was removed."""
    try:
        found = os.stat(point + _LOCK)
    except OSError:
        return False
    return os.path.samestat(found, os.fstat(lock))
