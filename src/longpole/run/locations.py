"""Where files lie: those that tasks make, in the run's store; all others, where their author has them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

from longpole.model.staging import Item
from longpole.model.workflow import Place, Workflow
from longpole.run.messages import Made
from longpole.run.staging.landing import remove

FILES_FOLDER = "files"
_NOWHERE = Place()


class Locations:
    """Every file of a workflow, by its logical name.

    Attributes:
        kept: The folder where made files are kept under their names.
        fetched: The folder where files are kept that came from the web.
    """

    def __init__(
        self, workflow: Workflow, work: str, is_spent: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Keep files below a folder for work; a checkpoint there that is spent is not gone on from."""
        self._is_spent = is_spent
        self.kept = os.path.join(work, FILES_FOLDER)
        self.fetched = os.path.join(work, "fetched")
        self._workflow = workflow
        self._made: dict[str, Made] = {}
        self._outside: dict[str, Item] = {}

    def keep(self, made: tuple[Made, ...]) -> None:
        """Take note of files that have been made and are in place."""
        for each in made:
            self._made[each.name] = each

    def made(self, name: str) -> Made | None:
        """Return what is known of a file that was made."""
        return self._made.get(name)

    def source(self, name: str) -> Item:
        """Return where a file is that a job uses."""
        made = self._made.get(name)
        if made is not None:
            return Item(name, os.path.join(self.kept, name), "", made.size_bytes, made.checksum)
        found = self._outside.get(name)
        if found is None:
            found = self._outside[name] = self._lookup(name)
        return found

    def checkpoint(self, name: str, folders: Sequence[str] = ()) -> Item | None:
        """Return the newest of a checkpoint: what is kept, or was left in one of some folders.

        Where no task has left one, it is what the author of the workflow has of this name, if anything.
        """
        if not folders and self._is_spent(name):  # of an earlier run: what later attempts find is of this one
            remove(os.path.join(self.kept, name.rstrip("/")))
        newest = newest_of(name, (self.kept, *folders)) or self.source(name)
        return Item(name, newest.path) if newest.path and _is_one(newest.path) else None

    def _lookup(self, name: str) -> Item:
        place = self._workflow.files.get(name, _NOWHERE)
        path = place_of(self._workflow, name)
        if not place.url or (place.path and os.path.exists(path)):
            return Item(name, path, size_bytes=place.size_bytes)
        # What came from another address is another file.
        mark = hashlib.blake2s(place.url.encode(), digest_size=4).hexdigest()
        return Item(name, os.path.join(self.fetched, mark, name), place.url, place.size_bytes)


def place_of(workflow: Workflow, name: str) -> str:
    """Return where a file lies that no task makes, if it is on this machine; of a directory, with a slash."""
    told = workflow.files.get(name, _NOWHERE).path
    path = plain_path(os.path.join(workflow.folder, told or name))
    return f"{path}/" if name.endswith("/") else path


def plain_path(path: str) -> str:
    """Return a path as the server of files takes it; ``..`` may lead elsewhere behind a link."""
    return os.path.realpath(path) if ".." in path.split("/") else os.path.normpath(path)


def newest_of(name: str, folders: Sequence[str]) -> Item | None:
    """Return the file of a name that was changed last, of those in some folders."""
    found = [path for folder in folders if _is_one(path := os.path.join(folder, name))]
    return Item(name, max(found, key=_changed_ns)) if found else None


def _is_one(path: str) -> bool:
    """Return whether a file is there, or a directory where the name asks for one; a link is not followed."""
    return not os.path.islink(path.rstrip("/")) and os.path.exists(path)


def _changed_ns(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
