"""A roofline as JSON: its fields in their order, the wall as a number beside what it is made of."""

from __future__ import annotations

from dataclasses import fields

from longpole.model.roofline import Roofline


def as_json(roofline: Roofline) -> dict[str, object]:
    """Return what is written for ``--json``."""
    values = {field.name: getattr(roofline, field.name) for field in fields(roofline)}
    wall = values.pop("wall")
    return {
        "schema_version": values.pop("schema_version"),
        **values,
        "wall": wall.parallel,
        "wall_is": wall,
    }
