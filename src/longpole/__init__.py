"""Longpole: where the time of a workflow goes, what bounds it, and which change gains most.

``phase`` and ``record`` are for programs; ``load`` reads what was recorded.
"""

from longpole._version import __version__
from longpole.record.client.phases import phase

__all__ = ["__version__", "phase"]
