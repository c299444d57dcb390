"""Longpole: where the time of a workflow goes, what bounds it, and which change gains most.

``phase`` and ``record`` are for programs; ``load`` reads what was recorded, ``table`` and ``compare`` set
runs side by side, and ``Workflow`` describes what is to run. This module loads into users' interpreters: it
stays importable by Python 3.8 and loads nothing heavy until it is asked for.
"""

from __future__ import annotations

from longpole._version import __version__
from longpole.record.client.phases import phase
from longpole.record.recording import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.app.comparing_options import compare
    from longpole.app.run import Run, load
    from longpole.app.tables import table
    from longpole.describe.builder import Workflow
else:

    def __getattr__(name: str) -> object:
        """Load the rest on first use: it needs Python 3.11 and heavier libraries."""
        if name in ("Run", "load"):
            from longpole.app import run

            return getattr(run, name)
        if name == "compare":
            from longpole.app.comparing_options import compare

            return compare
        if name == "table":
            from longpole.app.tables import table

            return table
        if name == "Workflow":
            from longpole.describe.builder import Workflow

            return Workflow
        raise AttributeError(f"module 'longpole' has no attribute '{name}'")


def load_ipython_extension(shell: object) -> None:
    """Bring ``%%record`` to a notebook; IPython calls this for ``%load_ext longpole``."""
    from longpole.app.magic import Magic

    Magic(shell).register()


__all__ = ["Run", "Workflow", "__version__", "compare", "load", "phase", "record", "table"]
