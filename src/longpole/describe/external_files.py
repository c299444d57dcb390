"""Places of files that no task makes: a path, an address, or both."""

from __future__ import annotations

import os
from collections.abc import Mapping

from longpole.describe.complaints import short
from longpole.describe.entry import Entry
from longpole.describe.file_names import file_pattern
from longpole.describe.needs import size
from longpole.model.patterns import fill, places
from longpole.model.workflow import Place, WorkflowError

_WEB = ("http://", "https://")


def external_file(files: Entry, name: str) -> tuple[str, Place]:
    """Return a logical name, and where the file lies.

    Raises:
        WorkflowError: The name is none, or the place says neither a path nor an address.
    """
    logical = _logical(files, name)
    value = files.value(name)
    if isinstance(value, str):
        text = files.text(name)
        told: Mapping[str, object] = {"url" if text.startswith(_WEB) else "path": text}
        entry = Entry(told, files.parameters, files.file, f"{files.key}.{name}", files.line_of(name))
    else:
        entry = files.entry(name)
    return logical, _place(entry)


def _place(entry: Entry) -> Place:
    entry.only("path", "url", "bytes")
    path, url = os.path.expanduser(entry.text("path")), entry.text("url")
    if not path and not url:
        raise entry.wrong("", "This needs a path or a url.")
    if url and not url.startswith(_WEB):
        raise entry.wrong(
            "url", f"'{short(url)}' must begin with http:// or https://; other places are paths."
        )
    for key, text in (("path", path), ("url", url)):
        if "\n" in text:
            raise entry.wrong(key, "This has a line break in it.")
    if entry.values.get("bytes") is None:
        return Place(path, url)
    written = entry.value("bytes")
    whole = isinstance(written, int) and not isinstance(written, bool)
    return Place(path, url, entry.whole("bytes", 0, 0) if whole else size(entry, "bytes"))


def _logical(files: Entry, name: str) -> str:
    try:
        pattern = file_pattern(name, files.parameters)
        if places(pattern):
            raise WorkflowError(f"'{short(name)}' has a place of a set; a file here has one name.")
        return fill(pattern, {})
    except WorkflowError as error:
        raise files.wrong(name, str(error)) from error
