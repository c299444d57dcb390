"""Functions as tasks, on the side of a warm worker: called with plain values, answered with plain values.

Values are MessagePack on their way: numbers, texts, bytes, lists and dicts. Nothing is ever unpickled. What a
function prints goes to the output of its task.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from resource import RUSAGE_SELF, getrusage
from time import monotonic_ns
from typing import Any

import msgspec

from longpole.model.workflow import Template
from longpole.units import show_bytes

# Values are kept in the log of the run.
_LARGEST_VALUE = 3 << 20
_LONGEST_CAUSE = 2000
_OURS = "longpole."


class Request(msgspec.Struct, array_like=True, frozen=True):
    """A call.

    Attributes:
        template: Whose function is called.
        arguments: What with.
        keywords: The same, by name.
        folder: Where.
        output: The path that what it prints gets.
        variables: Variables for the time of the call.
    """

    template: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    folder: str
    output: str
    variables: dict[str, str] = {}


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """How a call went: when, what it returned as MessagePack, or why it failed, and where its output is."""

    start_ns: int
    end_ns: int
    value: bytes
    cause: str
    output: str
    cpu_us: tuple[int, int]


_REQUESTS = msgspec.msgpack.Decoder(Request)
_ANSWERS = msgspec.msgpack.Decoder(Answer)
_ENCODER = msgspec.msgpack.Encoder()


def as_bytes(request: Request) -> bytes:
    """Return a call as bytes.

    Raises:
        TypeError: An argument is no plain value.
    """
    return _ENCODER.encode(request)


def answer_of(data: bytes) -> Answer:
    """Return an answer that came as bytes."""
    return _ANSWERS.decode(data)


class Server:
    """Calls functions in this process."""

    def __init__(self, templates: Mapping[str, Template], folder: str, spare: str) -> None:
        """Take the functions, and the folder that their modules are in.

        Args:
            templates: Whose functions may be called.
            folder: Is looked through for modules first.
            spare: A path for what is printed before a task is known to print.
        """
        if folder and folder not in sys.path:
            sys.path.insert(0, folder)
        self._templates = templates
        self._spare = spare
        self._output = self._open()

    def __call__(self, data: bytes) -> bytes:
        """Answer one request."""
        asked = _REQUESTS.decode(data)
        call = self._templates[asked.template].call
        assert call is not None
        os.chdir(asked.folder)
        before = getrusage(RUSAGE_SELF)
        start_ns = monotonic_ns()
        with _variables(asked.variables):
            value, cause = _called(call.function, asked)
        end_ns = monotonic_ns()
        after = getrusage(RUSAGE_SELF)
        cpu = int((after.ru_utime - before.ru_utime) * 1e6), int((after.ru_stime - before.ru_stime) * 1e6)
        return _ENCODER.encode(Answer(start_ns, end_ns, value, cause, self._printed(asked.output), cpu))

    def _printed(self, path: str) -> str:
        """Give what was printed its name; return it, or nothing if nothing was."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # closed by a function, or on a full disk
                stream.flush()
        if not os.fstat(self._output).st_size:
            return ""
        os.rename(self._spare, path)
        os.close(self._output)
        self._output = self._open()
        return path

    def _open(self) -> int:
        how = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._spare, how, 0o600)
        for stream in (1, 2):
            os.dup2(descriptor, stream)
        return descriptor


@contextmanager
def _variables(own: Mapping[str, str]) -> Iterator[None]:
    """Have variables of one's own, as other processes of the task have them."""
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _print(error: BaseException) -> None:
    """Print where in the user's code an error came up, without the way there through ours."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        trace = trace.tb_next
    if trace is not None:
        traceback.print_exception(type(error), error, trace)


def _called(function: Callable[..., Any], asked: Request) -> tuple[bytes, str]:
    """Return what a function returned, or why it did not."""
    try:
        returned = function(*asked.arguments, **asked.keywords)
    except BaseException as error:  # noqa: BLE001  a worker outlives whatever a user's function does
        _print(error)
        return b"", f"It raised {type(error).__name__}: {str(error)[:_LONGEST_CAUSE]}"
    try:
        value = _ENCODER.encode(returned)
    except (TypeError, ValueError, OverflowError, RecursionError):
        kind = type(returned).__name__
        return b"", (
            f"It returned a value of type {kind}, which is not plain. Return numbers, texts, bytes, lists or "
            "dicts, or write a file and name it in outputs."
        )
    if len(value) > _LARGEST_VALUE:
        return b"", f"It returned {show_bytes(len(value))}: write a file instead, and name it in outputs."
    return value, ""
