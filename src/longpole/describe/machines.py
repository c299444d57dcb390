"""Machine files: nodes, peaks of each node and of what all share, and what a start costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from longpole.describe.table import Table
from longpole.describe.toml_file import parse_toml, read_toml
from longpole.model.machine import Machine, Overhead, Peak
from longpole.model.quantity import show_quantity
from longpole.model.resources import NODE, SYSTEM, Dimension, Level, Resource
from longpole.model.text import visible

STARTS = ("interpreter", "process")
IMPORT = "import "


def read_machine(path: Path) -> Machine:
    """Return the machine that a file describes.

    Raises:
        UsageError: The file cannot be read, or says something that cannot be.
    """
    return _machine(read_toml(path))


def machine_from(text: str, origin: str) -> Machine:
    """Return the machine that a text describes; ``origin`` is what it and its errors name as its source."""
    return _machine(parse_toml(text, origin))


def _machine(file: Table) -> Machine:
    file.only("name", "nodes", "about", "node", "system", "overhead")
    return Machine(
        name=file.text("name"),
        nodes=file.whole("nodes"),
        node=_peaks(file.table("node"), NODE),
        system=_peaks(file.table("system"), SYSTEM),
        overheads=_overheads(file.table("overhead")),
        origin=file.file,
        about=file.text("about", ""),
    )


def _peaks(table: Table, known: Mapping[str, Resource]) -> dict[str, Peak]:
    table.only(*known)
    return {name: _peak(table, known[name]) for name in table.values}


def _peak(table: Table, resource: Resource) -> Peak:
    if not isinstance(table.values[resource.name], dict):
        return Peak(table.positive(resource.name, resource.peak))
    peak = table.table(resource.name)
    shared = resource.level is Level.SYSTEM
    peak.only("nominal", *(["per-node"] if shared else []), "contended", "spread", "source")
    per_node = shared and "per-node" in peak
    if per_node and "nominal" in peak:
        raise peak.wrong("", "This has both 'nominal' (of all) and 'per-node'; keep one.")
    nominal = peak.positive("per-node" if per_node else "nominal", resource.peak)
    return Peak(
        nominal=nominal,
        contended=_contended(peak, nominal, resource.peak),
        spread=_spread(peak),
        per_node=per_node,
        source=peak.text("source", "nominal"),
    )


def _contended(peak: Table, nominal: float, dimension: Dimension) -> float | None:
    if "contended" not in peak:
        return None
    contended = peak.positive("contended", dimension)
    if contended > nominal:
        most, given = show_quantity(nominal, dimension), show_quantity(contended, dimension)
        raise peak.wrong("contended", f"This must be at most the peak without others, {most}, not {given}.")
    return contended


def _spread(table: Table) -> float:
    spread = table.share("spread")
    if spread >= 1:
        raise table.wrong("spread", "This must be below 100 %.")
    return spread


def _overheads(table: Table) -> dict[str, Overhead]:
    table.only(*STARTS, "imports")
    imports = table.table("imports")
    starts = {name: _overhead(table, name) for name in table.values if name != "imports"}
    return starts | {f"{IMPORT}{visible(name)}": _overhead(imports, name) for name in imports.values}


def _overhead(table: Table, name: str) -> Overhead:
    if not isinstance(table.values[name], dict):
        return Overhead(table.quantity(name, Dimension.SECONDS))
    overhead = table.table(name)
    overhead.only("seconds", "spread", "source")
    return Overhead(
        seconds=overhead.quantity("seconds", Dimension.SECONDS),
        spread=_spread(overhead),
        source=overhead.text("source", "nominal"),
    )
