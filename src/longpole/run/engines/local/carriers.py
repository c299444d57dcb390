"""Carriers: warm workers that move files, so that the engine need not wait for a disk or a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from longpole.model.ports import Way
from longpole.model.staging import Item, Moved, StagingError


class Errand(StrEnum):
    """What a carrier is asked for."""

    BRING = "bring"
    SEND = "send"
    REMOVE = "remove"


class Request(msgspec.Struct, array_like=True, frozen=True):
    """An errand: by which way, for which folder, and what."""

    errand: Errand
    way: str
    folder: str
    items: tuple[Item, ...] = ()


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """What came of it: what was moved, or why nothing was."""

    moved: Moved | None
    cause: str = ""
    full: bool = False


_ENCODER = msgspec.msgpack.Encoder()
_REQUESTS = msgspec.msgpack.Decoder(Request)
_ANSWERS = msgspec.msgpack.Decoder(Answer)


class Carrier:
    """Does errands in this process."""

    def __init__(self, way: Callable[[str], Way]) -> None:
        """Take what makes a way out of its name."""
        self._make = way
        self._ways: dict[str, Way] = {}

    def do(self, request: Request) -> Answer:
        """Do one errand; never raises."""
        try:
            return Answer(self._moved(request))
        except StagingError as error:
            return Answer(None, str(error), error.full)
        except OSError as error:
            return Answer(None, f"Moving files of {request.folder} failed: {error}.")

    def __call__(self, data: bytes) -> bytes:
        """Do an errand that came as bytes."""
        return _ENCODER.encode(self.do(_REQUESTS.decode(data)))

    def _moved(self, request: Request) -> Moved:
        if request.errand is Errand.REMOVE:
            shutil.rmtree(request.folder, ignore_errors=True)
            return Moved(())
        way = self._ways.get(request.way)
        if way is None:
            way = self._ways[request.way] = self._make(request.way)
        if request.errand is Errand.BRING:
            return way.bring(request.items, request.folder)
        return way.send(request.items, request.folder)


def as_bytes(request: Request) -> bytes:
    """Return an errand for a carrier in another process."""
    return _ENCODER.encode(request)


def answer_of(data: bytes) -> Answer:
    """Return what a carrier in another process has answered."""
    return _ANSWERS.decode(data)


def is_light(request: Request, most_files: int = 32, most_bytes: int = 4 << 20) -> bool:
    """Say whether an errand is done sooner than it is handed over."""
    if (
        request.errand is Errand.REMOVE
        or request.way not in ("link", "hardlink")
        or len(request.items) > most_files
    ):
        return False
    if request.errand is Errand.BRING:
        return not any(item.url or item.name.endswith("/") for item in request.items)
    return _size(request.folder, request.items) <= most_bytes


def _size(folder: str, items: Sequence[Item]) -> int:
    total = 0
    for item in items:
        if item.name.endswith("/"):
            return 1 << 62
        try:
            total += os.lstat(os.path.join(folder, item.name)).st_size
        except OSError:
            pass  # not there: to be told by who moves it
    return total
