"""Images: what a name or path given as an image is, and whether a command can be run in it."""

from __future__ import annotations

import os
import stat
import struct
from enum import StrEnum

from longpole.model.containers import ContainerError

_FORMS = (
    "An image is a directory with a root file system, a squashfs file, a SIF file of Apptainer, or a"
    " reference such as docker://debian:12 or localhost/name."
)
_SHELL = "/bin/sh"
# The superblock of squashfs 4.0: where magic, version and length lie in its 96 bytes.
_SQUASHFS_MAGIC, _SUPERBLOCK = b"hsqs", 96
_VERSION, _VERSION_AT, _LENGTH_AT = (4, 0), 28, 40
# SIF begins with a line that makes it a program, then its magic.
_SIF_MAGIC, _SIF_MAGIC_AT = b"SIF_MAGIC", 32
_LOOKS = 40


class ImageKind(StrEnum):
    """What sort of thing an image is."""

    DIRECTORY = "directory"
    SQUASHFS = "squashfs"
    SIF = "sif"
    REFERENCE = "reference"


def kind_of(image: str) -> ImageKind:
    """Return what an image is, by what it holds; its name counts only if there is no such file.

    Raises:
        ContainerError: It is nothing that a container can be made of.
    """
    if os.path.isdir(image):
        return ImageKind.DIRECTORY
    if os.path.lexists(image):
        return _kind_of_file(image)
    if is_reference(image):
        return ImageKind.REFERENCE
    raise ContainerError(f"There is no image '{image}'. {_FORMS}")


def is_reference(image: str) -> bool:
    """Say whether a name has the form of what a registry has, or podman itself.

    Examples:
        >>> is_reference("docker://debian:12"), is_reference("localhost/mine"), is_reference("root.sqfs")
        (True, True, False)
    """
    return "://" in image or image.startswith("localhost/")


def check_root(folder: str, image: str) -> None:
    """Check that a command can be run in a root file system that an image holds.

    Raises:
        ContainerError: It has no shell, or cannot be read.
    """
    shell = within(folder, _SHELL)
    try:
        found = os.stat(shell)
    except PermissionError as error:
        raise ContainerError(f"The image '{image}' cannot be read: {error.strerror}. {_FORMS}") from error
    except OSError:
        raise ContainerError(
            f"The image '{image}' has no {_SHELL}: no command can run in it. {_FORMS}"
        ) from None
    if not stat.S_ISREG(found.st_mode) or not found.st_mode & 0o111:
        raise ContainerError(f"{_SHELL} of the image '{image}' is no program. {_FORMS}")


def within(root: str, path: str) -> str:
    """Return where a path of an image lies on the host: links lead to places within the image only."""
    waiting, found, links = path.split("/")[::-1], root, 0
    while waiting:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            found = root if found == root else os.path.dirname(found)
            continue
        target = _link(f"{found}/{part}") if links < _LOOKS else ""
        if not target:
            found = f"{found}/{part}"
            continue
        links += 1
        found = root if target.startswith("/") else found
        waiting += target.split("/")[::-1]
    return found


def refused(image: str, kind: ImageKind, runtime: str) -> ContainerError:
    """Return the error for a kind of image that a runtime does not take."""
    others = "apptainer" if kind is ImageKind.SIF else "podman or apptainer"
    return ContainerError(f"'{image}' is a {kind}, which {runtime} cannot run. Choose {others}.")


def _kind_of_file(image: str) -> ImageKind:
    head, size = _head(image)
    if head[_SIF_MAGIC_AT:].startswith(_SIF_MAGIC):
        return ImageKind.SIF
    if not head.startswith(_SQUASHFS_MAGIC):
        raise ContainerError(f"The file '{image}' is no image. {_FORMS}")
    _check_squashfs(image, head, size)
    return ImageKind.SQUASHFS


def _head(image: str) -> tuple[bytes, int]:
    """Return the first bytes of a file, and how long it is; a pipe or device is not opened: it may block."""
    try:
        found = os.stat(image)
        if not stat.S_ISREG(found.st_mode):
            return b"", 0
        with open(image, "rb") as file:
            return file.read(_SUPERBLOCK), found.st_size
    except OSError as error:
        raise ContainerError(f"The image '{image}' cannot be read: {error.strerror}.") from error


def _check_squashfs(image: str, head: bytes, size: int) -> None:
    if len(head) < _SUPERBLOCK:
        raise ContainerError(f"The squashfs image '{image}' is damaged: it ends within its superblock.")
    version = struct.unpack_from("<HH", head, _VERSION_AT)
    if version != _VERSION:
        raise ContainerError(
            f"The squashfs image '{image}' is damaged, or of version {version[0]}.{version[1]}; we read 4.0."
            " Make it again with mksquashfs."
        )
    (length,) = struct.unpack_from("<Q", head, _LENGTH_AT)
    if length > size:
        raise ContainerError(
            f"The squashfs image '{image}' is damaged: {size:,} bytes are left of {length:,}. Copy it again."
        )


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
