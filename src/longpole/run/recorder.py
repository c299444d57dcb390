"""What of the recorder a command in a container must see, to be recorded like any other."""

from __future__ import annotations

import os
from collections.abc import Mapping

from longpole.record.client.phases import RINGS_VARIABLE


def recorder_folders(environment: Mapping[str, str]) -> dict[str, bool]:
    """Return folders that containers share at their own paths, and whether they may be written."""
    rings = environment.get(RINGS_VARIABLE, "")
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return {rings: True, os.path.join(package, "longpole"): False} if rings else {}
