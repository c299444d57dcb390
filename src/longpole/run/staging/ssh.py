"""The way of ssh: one connection, one packed stream, however many files there are.

The submit side needs an ssh server, a shell, and tar, find, sort and mv of GNU; nothing of ours. What arrives
here is compared with the checksum it must have. What is sent is summed here while it is read; ssh itself
checks every packet on the way, and the sizes of all files are compared at the other side before they get
their names. That a disk there keeps what it was given is not checked.
"""

from __future__ import annotations

import errno
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from longpole.model.staging import Item, Moved, StagingError
from longpole.run.staging.arriving import Arriving
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.departing import Departing
from longpole.run.staging.errands import found_in, known_bytes
from longpole.run.staging.landing import Landing, landing
from longpole.run.staging.movements import Movements, all_of
from longpole.run.staging.refusals import (
    AGAIN,
    check_names,
    check_paths,
    no_room,
    unreadable,
    unwritable,
    wrong_checksum,
)
from longpole.run.staging.web import fetch

_QUIET = ("-o", "BatchMode=yes", "-o", "LogLevel=ERROR")
_PACK = (
    "export LC_ALL=C; exec tar --null --create --dereference --hard-dereference --absolute-names "
    "--quoting-style=literal --file=- --files-from=-"
)
_FULL, _MISSING = "No space left on device", "No such file or directory"
_REMOTE_FAILED = 255


class SshWay:
    """Packed streams over ssh; see ``model.ports.Way``."""

    name = "ssh"

    def __init__(
        self, host: str, *, options: Sequence[str] = (), checksums: Checksums = Checksums.ON
    ) -> None:
        """Take the host as ``ssh`` knows it, and options for ``ssh``, such as ``("-p", "2222")``.

        It must let us in without asking: by a key, or an agent.
        """
        self._host, self._checksums = host, checksums
        self._command = ("ssh", *_QUIET, *options, "--", host)

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Fetch items in one stream, and what is wrong of them again."""
        check_names(items)
        kept = [item for item in items if item.path or not item.url]
        check_paths(kept)
        movements = Movements()
        try:
            with landing(folder) as ground:
                self._fetch(kept, ground, movements)
                for item in items:
                    if item.url and not item.path:
                        fetch(item, ground.path(item.name), movements, self._checksums)
        except OSError as error:
            raise unwritable(error, all_of(items), folder, known_bytes(items)) from error
        return movements.moved()

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Send items in one stream; they get their names when all are there."""
        check_paths(items)
        movements = Movements()
        departing = Departing(found_in(items, folder), self._checksums)
        if items:
            there = self._there(departing.command, items, subprocess.PIPE)
            with movements.movement(all_of(items)) as movement, there as process:
                assert process.stdin is not None
                departing.write(process.stdin, movement)
            departing.note(movements)
        return movements.moved()

    def _fetch(self, items: Sequence[Item], ground: Landing, movements: Movements) -> None:
        wrong: list[tuple[Item, str]] = []
        for again in range(1 + AGAIN):
            if not items:
                return
            movements.again += len(items) if again else 0
            arriving = Arriving(ground, self._checksums, items)
            paths = dict.fromkeys(os.fsencode(item.path.rstrip("/")) + b"\0" for item in items)
            with movements.movement(all_of(items)) as movement, tempfile.TemporaryFile() as names:
                names.write(b"".join(paths))
                names.seek(0)
                with self._there(_PACK, items, names) as process:
                    assert process.stdout is not None
                    arriving.take(process.stdout, movement)
            wrong = arriving.note(items, movements)
            items = [item for item, _ in wrong]
        if wrong:
            item, found = wrong[0]
            raise wrong_checksum(item.name, f"{item.path} at {self._host}", item.checksum, found, 1 + AGAIN)

    @contextmanager
    def _there(
        self, script: str, items: Sequence[Item], given: IO[bytes] | int
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a script at the host.

        Raises:
            StagingError: It fails, or ssh does; the sentence has what was said.
        """
        broken: Exception | None = None
        with tempfile.TemporaryFile() as said:
            try:
                command = [*self._command, script]
                process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=said)
            except FileNotFoundError as error:
                raise StagingError("Staging by ssh needs the program ssh, and there is none.") from error
            try:
                yield process
            except (BrokenPipeError, tarfile.TarError) as error:
                broken = error
            finally:
                _end(process)
            said.seek(0)
            words = said.read().decode(errors="replace").strip().splitlines()
        if process.returncode or broken:
            raise self._failed(process.returncode, words, items) from broken

    def _failed(self, code: int, words: Sequence[str], items: Sequence[Item]) -> StagingError:
        telling = [line for line in words if _FULL in line or _MISSING in line]
        reason = (telling or words or [f"ssh ended with {code}"])[0].rstrip(".")
        if code == _REMOTE_FAILED:
            reason = words[-1].rstrip(".") if words else reason
            return StagingError(
                f"No connection to {self._host} by ssh: {reason}. Try 'ssh {self._host} true'."
            )
        if _FULL in reason:
            where = f"{os.path.dirname(items[0].path.rstrip('/'))} at {self._host}"
            return no_room(all_of(items), where, known_bytes(items), None)
        for item in items:
            if _MISSING in reason and f"{item.path.rstrip('/')}: " in reason:
                return unreadable(item.name, f"{item.path} at {self._host}", errno.ENOENT)
        return StagingError(f"Cannot move {all_of(items)} by ssh, host {self._host}: {reason}.")


def _end(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe:
                pipe.close()
        except BrokenPipeError:
            pass  # its exit code says why
    process.wait()
