"""What another system tells of a run: rows of the execution model's tables, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True)
class Told:
    """A run as another system tells it.

    Attributes:
        source: Who tells, as a person would call it: ``Slurm accounting``.
        name: What to call the run.
        tables: Rows by the name of their table. Ids are the teller's own, whatever numbers it likes; times
            are nanoseconds of UTC. A phase without a parent is part of the run.
        gaps: A sentence for each thing that is missing.
    """

    source: str
    name: str
    tables: Mapping[str, Columns]
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user wants of an import.

    Attributes:
        name: What to call the run; empty for what the importer finds best.
        zone: Where times without a zone were written; None for here.
    """

    name: str = ""
    zone: tzinfo | None = None
