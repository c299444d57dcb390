"""A tar stream as it leaves: files under hidden names, and a script that gives them theirs at the other side.

All that goes into one directory lies in one hidden directory within it, so that a few processes there rename
all of it, however many files there are. Before that they compare the sizes of all with what was sent.
"""

from __future__ import annotations

import io
import os
import secrets
import tarfile
from collections.abc import Sequence
from shlex import quote
from typing import IO

from longpole.model.staging import Item
from longpole.run.staging.checksums import Checksums, Running, of_tree, running_for, shown
from longpole.run.staging.errands import check_kind
from longpole.run.staging.landing import HIDDEN
from longpole.run.staging.movements import Movement, Movements
from longpole.run.staging.refusals import unreadable
from longpole.run.staging.trees import Part, parts_of
from longpole.units import Bytes

# So many directories are cleaned up after a failure; the command line cannot name any number.
_CLEANED = 100
_UNPACK = "tar --extract --absolute-names --file=- && sh {script} || {{ rm -rf -- {hidden}; exit 1; }}"
_CHECK = (
    "find {hidden} -type f -printf '%s %p\\0' >> {sizes}.found",
    "LC_ALL=C sort -z {sizes}.found | cmp -s - {sizes} || { echo 'sizes differ there' >&2; exit 1; }",
)
_RENAME = "find {hidden} -mindepth 1 -maxdepth 1 -print0 | xargs -0r mv -f -t {parent} --"


class Departing:
    """Items of a job's folder on their way out."""

    def __init__(self, found: Sequence[tuple[Item, str]], checksums: Checksums) -> None:
        """Take items, and where they lie."""
        self._found_items, self._checksums = found, checksums
        self._token = secrets.token_hex(6)
        self._sizes: dict[str, Bytes] = {}
        self._sums: dict[str, str] = {}
        self._totals: dict[str, Bytes] = {}
        self._parents = list(dict.fromkeys(_parent(item) for item, _ in found))
        self._script = f"{self._hidden(self._parents[0])}-settle" if found else ""

    @property
    def command(self) -> str:
        """What takes the stream at the other side."""
        hidden = [quote(self._hidden(parent)) for parent in self._parents[:_CLEANED]]
        names = " ".join((*hidden, quote(self._script), quote(f"{self._script}.sizes")))
        return "export LC_ALL=C; " + _UNPACK.format(script=quote(self._script), hidden=names)

    def write(self, stream: IO[bytes], movement: Movement) -> None:
        """Write the stream.

        Raises:
            StagingError: Something cannot be read.
            BrokenPipeError: The other side has ended.
        """
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            for item, source in self._found_items:
                try:
                    self._write_item(tar, item, source, movement)
                except BrokenPipeError:
                    raise
                except OSError as error:
                    raise unreadable(item.name, error.filename or source, error.errno or 0) from error
            lines = sorted(os.fsencode(f"{size} {path}") + b"\0" for path, size in self._sizes.items())
            _add(tar, f"{self._script}.sizes", b"".join(lines))
            _add(tar, self._script, os.fsencode(self._settling()))

    def note(self, movements: Movements) -> None:
        """Take sizes and checksums of all that went."""
        for item, _ in self._found_items:
            movements.note(item.name, self._totals[item.name], self._sums[item.name])

    def _hidden(self, parent: str) -> str:
        return f"{parent.rstrip('/')}/{HIDDEN}{self._token}"

    def _write_item(self, tar: tarfile.TarFile, item: Item, source: str, movement: Movement) -> None:
        facts = check_kind(item, source)
        target = f"{self._hidden(_parent(item))}/{os.path.basename(item.path.rstrip('/'))}"
        if not item.name.endswith("/"):
            whole = Part("", source, facts.st_size, is_link=False)
            self._sums[item.name] = self._write_file(tar, whole, target, movement)
            self._totals[item.name] = self._sizes[target]
            return
        _add_folder(tar, target)
        sums, total = [], 0
        for part in parts_of(source):
            path = f"{target}/{part.name.rstrip('/')}"
            if part.is_folder:
                _add_folder(tar, path)
                sums.append((part.name, ""))
                continue
            sums.append((part.name, self._write_file(tar, part, path, movement)))
            total += self._sizes[path]
        self._sums[item.name] = of_tree(sums, self._checksums)
        self._totals[item.name] = total

    def _write_file(self, tar: tarfile.TarFile, part: Part, target: str, movement: Movement) -> str:
        with open(part.path, "rb") as file:
            facts = os.fstat(file.fileno())
            member = tarfile.TarInfo(target)
            member.size, member.mode, member.mtime = facts.st_size, facts.st_mode & 0o777, int(facts.st_mtime)
            running = running_for(self._checksums)
            tar.addfile(member, _Summed(file, running))  # type: ignore[arg-type]
        self._sizes[target] = member.size
        movement.add(member.size)
        return shown(running.digest())

    def _settling(self) -> str:
        sizes = quote(f"{self._script}.sizes")
        lines = ["set -e"]
        lines += [_CHECK[0].format(hidden=quote(self._hidden(one)), sizes=sizes) for one in self._parents]
        lines.append(_CHECK[1].replace("{sizes}", sizes))
        for item, _ in self._found_items:
            if item.name.endswith("/"):
                lines.append(f"rm -rf -- {quote(item.path.rstrip('/'))}")
        for parent in self._parents:
            hidden = quote(self._hidden(parent))
            lines += [_RENAME.format(hidden=hidden, parent=quote(parent)), f"rmdir -- {hidden}"]
        lines.append(f"rm -f -- {sizes} {sizes}.found {quote(self._script)}")
        return "\n".join((*lines, ""))


class _Summed:
    """A file that is summed while it is read."""

    def __init__(self, file: IO[bytes], running: Running) -> None:
        self._file, self._running = file, running

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._running.update(memoryview(data))
        return data


def _parent(item: Item) -> str:
    return os.path.dirname(item.path.rstrip("/"))


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def _add_folder(tar: tarfile.TarFile, name: str) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.mode = tarfile.DIRTYPE, 0o755
    tar.addfile(member)
