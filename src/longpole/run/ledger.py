"""What was made before: by the name of each task, its fingerprint and files, for all runs of a work folder.

One line is added for each task that is committed; the last of a name counts. A damaged line is passed over:
its task is made again. A file counts as unchanged if its time of change is as it was. Checkpoints of tasks
that are done have a line each as well: nothing is left to go on with, so the next run begins without them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from longpole.run.messages import Made
from longpole.run.staging.checksums import Checksums, of_file, of_tree
from longpole.run.staging.trees import parts_of, size_of_tree
from longpole.units import Bytes

LEDGER = "ledger"
_MOST_SPARE = 2


class Entry(msgspec.Struct, frozen=True):
    """A task that was made: its fingerprint, its files with their times of change, and its value."""

    task: str
    print: str
    made: tuple[tuple[str, int, str, int], ...] = ()
    value: str = ""


_DECODER = msgspec.json.Decoder(Entry)


class Ledger:
    """All that was made in a work folder."""

    def __init__(self, work: str, kept: str) -> None:
        """Read what is there; files are kept below ``kept``.

        Raises:
            OSError: It cannot be read or written.
        """
        self._kept = kept
        self._path = os.path.join(work, LEDGER)
        self._lines: list[bytes] = []
        self._entries = self._read()
        # The last that was made under each name: its checksum and time of change.
        self._files = {
            name: (checksum, changed_ns)
            for entry in self._entries.values()
            for name, _, checksum, changed_ns in entry.made
        }
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._torn = not _ends_well(self._file)

    def find(self, task: str) -> Entry | None:
        """Return what is known of a task that was made before."""
        return self._entries.get(task)

    def holds(self, made: Made) -> bool:
        """Return whether a file or directory is still the one that was made.

        That is told by its time of change if that is known, else by its content, which is read for it; where
        no checksum was made, by its size.
        """
        if self._files.get(made.name) == (made.checksum, self._changed_ns(made.name)):
            return True
        path = os.path.join(self._kept, made.name)
        try:
            return _checksum(path) == made.checksum if made.checksum else _size(path) == made.size_bytes
        except OSError:
            return False

    def unchanged(self, entry: Entry) -> tuple[Made, ...] | None:
        """Return the files of a task, if all of them are as they were left."""
        for name, _, _, changed_ns in entry.made:
            if changed_ns < 0 or self._changed_ns(name) != changed_ns:
                return None
        return tuple(Made(name, size, checksum) for name, size, checksum, _ in entry.made)

    def add(self, task: str, fingerprint: str, made: Iterable[Made], value: bytes = b"") -> None:
        """Take a task that has just been made; ``flush`` writes it."""
        files = tuple((*each, self._changed_ns(each.name)) for each in made)
        self._lines.append(msgspec.json.encode(Entry(task, fingerprint, files, value.hex())))

    def spend(self, checkpoints: Iterable[str]) -> None:
        """Take checkpoints whose tasks are done; ``flush`` writes it."""
        for name in checkpoints:
            spent = Entry(_spent(name), "", ((name, -1, "", self._changed_ns(name)),))
            self._lines.append(msgspec.json.encode(spent))

    def is_spent(self, checkpoint: str) -> bool:
        """Return whether a checkpoint is what an earlier run has left of a task that was done."""
        entry = self._entries.get(_spent(checkpoint))
        return entry is not None and self.unchanged(entry) is not None

    def flush(self) -> None:
        """Write what was taken; a full disk costs only the reuse of it."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        text = b"\n".join([b"", *lines, b""] if self._torn else [*lines, b""])
        try:
            self._torn = os.write(self._file, text) < len(text)
        except OSError:
            pass  # these tasks will be made again

    def settle(self) -> None:
        """Write everything to the disk itself."""
        self.flush()
        os.fsync(self._file)

    def close(self) -> None:
        """Write the rest and let go."""
        self.flush()
        os.close(self._file)

    def _changed_ns(self, name: str) -> int:
        path = os.path.join(self._kept, name)
        try:
            return _times_in(path) if name.endswith("/") else os.stat(path).st_mtime_ns
        except OSError:
            return -1

    def _read(self) -> dict[str, Entry]:
        try:
            with open(self._path, "rb") as file:
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return {}
        entries: dict[str, Entry] = {}
        for line in lines:
            try:
                entry = _DECODER.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            entries[entry.task] = entry
        if len(lines) > _MOST_SPARE * len(entries) + 1:
            self._rewrite(entries)
        return entries

    def _rewrite(self, entries: dict[str, Entry]) -> None:
        """Leave out what no longer counts; where there is no room for that, it stays as it is."""
        fresh = f"{self._path}.new"
        try:
            with open(fresh, "wb") as file:
                file.writelines(msgspec.json.encode(entry) + b"\n" for entry in entries.values())
            os.replace(fresh, self._path)
        except OSError:
            pass


def _spent(checkpoint: str) -> str:
    """Return the key of a checkpoint; no task is called so."""
    return f"\0{checkpoint}"


def _ends_well(file: int) -> bool:
    """Return whether a ledger ends with a whole line."""
    size = os.fstat(file).st_size
    return not size or os.pread(file, 1, size - 1) == b"\n"


def _checksum(path: str) -> str:
    if not path.endswith("/"):
        return of_file(path, Checksums.ON)
    parts = parts_of(path)
    sums = [(part.name, "" if part.is_folder else of_file(part.path, Checksums.ON)) for part in parts]
    return of_tree(sums, Checksums.ON)


def _size(path: str) -> Bytes:
    """Return the bytes of a file or of all in a directory; -1 if it is not what its name says."""
    if path.endswith("/"):
        return size_of_tree(path)
    return os.path.getsize(path) if os.path.isfile(path) else -1


def _times_in(folder: str) -> int:
    """Return a number that changes when something in a directory does: the sum of all times of change."""
    total = os.stat(folder).st_mtime_ns
    for root, folders, files in os.walk(folder):
        total += sum(os.lstat(os.path.join(root, name)).st_mtime_ns for name in (*folders, *files))
    return total % (1 << 62)
