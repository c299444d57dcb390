"""``%load_ext longpole`` in a notebook: ``%%record`` records a cell, and shows where its time went."""

from __future__ import annotations

import io
import shlex
from typing import Any

from longpole.app.run import Run, load
from longpole.errors import LongpoleError, UsageError
from longpole.present.notebook import overview_html
from longpole.present.overview import show_overview
from longpole.present.terminal import terminal
from longpole.record.recording import record

_USAGE = "%%record [NAME] [--detail low|auto|high] [--runs DIR]"


class Magic:
    """The magic of one IPython."""

    def __init__(self, shell: Any) -> None:  # noqa: ANN401  IPython's own; it need not be installed
        """Work in this IPython."""
        self._shell = shell

    def register(self) -> None:
        """Make ``%%record`` known."""
        self._shell.register_magic_function(self.record, "cell", "record")

    def record(self, line: str, cell: str) -> None:
        """Run a cell as it is, and show the run it makes: %%record [NAME] [--detail LEVEL] [--runs DIR].

        A cell that fails fails as it would have; what was recorded of it is shown all the same.
        """
        name, options = _parse(line)
        recording = record(name, **options)
        try:
            with recording:
                self._shell.run_cell(cell).raise_error()
        finally:
            if recording.path:
                _show(recording.path, self._shell)


def _parse(line: str) -> tuple[str, dict[str, str]]:
    """Return the name of the run, and what else was said.

    Raises:
        UsageError: It cannot be understood.
    """
    words = shlex.split(line)
    names: list[str] = []
    options: dict[str, str] = {}
    while words:
        word = words.pop(0)
        option, joined, value = word.partition("=")
        if option in ("--detail", "--runs"):
            if not joined and not words:
                raise UsageError(f"{option} needs a value: {_USAGE}")
            options[option[2:]] = value if joined else words.pop(0)
        elif word.startswith("-") or names:
            raise UsageError(f"'{word}' cannot be understood: {_USAGE}")
        else:
            names.append(word)
    return names[0] if names else "cell", options


def _show(path: str, shell: Any) -> None:  # noqa: ANN401
    try:
        with load(path) as run:
            shown = {"text/html": overview_html(run.overview()), "text/plain": _text(run)}
            shell.display_pub.publish(shown)
    except LongpoleError as error:
        print(f"longpole: {error}")  # noqa: T201  under the cell, where the table would be


def _text(run: Run) -> str:
    out = io.StringIO()
    show_overview(run.overview(), terminal(out))
    return out.getvalue()
