"""A machine as the text of a machine file, which reads back to an equal machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longpole.describe.complaints import written
from longpole.describe.machines import IMPORT, STARTS
from longpole.model.machine import Machine, MachineError, Overhead, Peak
from longpole.model.quantity import write_quantity, write_share
from longpole.model.resources import NODE, SYSTEM, Dimension, Resource

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def machine_text(machine: Machine) -> str:
    """Return the machine as TOML, with spreads and sources.

    Where it came from is not kept: that is the new file. Texts come back on one line and printable.

    Raises:
        MachineError: It has an overhead that a machine file has no key for.
    """
    head = [f"name = {_quoted(machine.name)}", f"nodes = {machine.nodes}"]
    if machine.about:
        head.append(f"about = {_quoted(machine.about)}")
    starts, imports = _overheads(machine.overheads)
    sections = {
        "node": _peaks(machine.node, NODE),
        "system": _peaks(machine.system, SYSTEM),
        "overhead": starts,
        "overhead.imports": imports,
    }
    lines = [head, *([f"[{name}]", *lines] for name, lines in sections.items() if lines)]
    return "\n\n".join("\n".join(section) for section in lines) + "\n"


def _peaks(peaks: Mapping[str, Peak], known: Mapping[str, Resource]) -> list[str]:
    return [f"{name} = {_peak(peaks[name], known[name].peak)}" for name in known if name in peaks]


def _peak(peak: Peak, dimension: Dimension) -> str:
    best = _quoted(write_quantity(peak.nominal, dimension))
    more = []
    if peak.contended is not None:
        more.append(("contended", _quoted(write_quantity(peak.contended, dimension))))
    more += _known_by(peak.spread, peak.source)
    if not more and not peak.per_node:
        return best
    return _inline([("per-node" if peak.per_node else "nominal", best), *more])


def _overheads(overheads: Mapping[str, Overhead]) -> tuple[list[str], list[str]]:
    starts, imports = [], []
    for name, overhead in overheads.items():
        if name in STARTS:
            starts.append(f"{name} = {_overhead(overhead)}")
        elif name.startswith(IMPORT):
            imports.append(f"{_key(name.removeprefix(IMPORT))} = {_overhead(overhead)}")
        else:
            raise MachineError(
                f"A machine file has no overhead '{name}'; it has {', '.join(STARTS)} and '{IMPORT}NAME'."
            )
    return starts, imports


def _overhead(overhead: Overhead) -> str:
    seconds = _quoted(write_quantity(overhead.seconds, Dimension.SECONDS))
    more = _known_by(overhead.spread, overhead.source)
    return _inline([("seconds", seconds), *more]) if more else seconds


def _known_by(spread: float, source: str) -> list[tuple[str, str]]:
    known = [("spread", _quoted(write_share(spread)))] if spread else []
    return known + ([("source", _quoted(source))] if source != "nominal" else [])


def _inline(pairs: Iterable[tuple[str, str]]) -> str:
    return f"{{ {', '.join(f'{key} = {value}' for key, value in pairs)} }}"


def _key(name: str) -> str:
    return name if name and written(name) == name else _quoted(name)


def _quoted(text: str) -> str:
    return f'"{"".join(_escaped(letter) for letter in text)}"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
