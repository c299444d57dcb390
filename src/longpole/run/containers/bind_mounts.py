"""Mounts as podman and apptainer are told of them: one ``--mount`` each, whatever its path holds."""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.model.containers import Inside


def mount_arguments(inside: Inside) -> list[str]:
    """Return the arguments that mount the job's folder, what is shared, and inputs over themselves."""
    folders = {**inside.shared, inside.folder: True}
    inputs = [os.path.join(inside.folder, name.rstrip("/")) for name in sorted(inside.read_only)]
    binds = [_bind(path, () if folders[path] else ("ro",)) for path in sorted(folders)]
    binds += [_bind(path, ("ro",)) for path in inputs if os.path.lexists(path)]
    return [part for bind in binds for part in ("--mount", bind)]


def _bind(path: str, options: Sequence[str]) -> str:
    """Return a mount at its own path as comma-separated values: quotes are doubled within quotes."""
    return ",".join(("type=bind", _value(f"source={path}"), _value(f"destination={path}"), *options))


def _value(text: str) -> str:
    plain = not any(letter in text for letter in ',"\n\r')
    return text if plain else '"' + text.replace('"', '""') + '"'
