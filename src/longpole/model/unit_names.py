"""Names of units: which a quantity of each dimension may have, and how many base units each is.

Decimal prefixes are powers of 1000 (k or K), those with an i powers of 1024. B is a byte, b or bit an eighth
of one. FLOPs is an amount, FLOPS a rate. Scales are decimal numbers: 38.8 T is 38.8e12 to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from longpole.model.resources import Dimension

_DECIMAL = {"": Decimal(1), "K": Decimal(1000)} | {
    letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", start=1)
}
_BINARY = {f"{letter}i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", start=1)}
_TIMES = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
_EACH = {"s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}
_COUNTED = re.compile(r"([^\W\d_]*)/(s|min|h|d)")

# What a sentence offers: units of each dimension that people write most.
EXAMPLES: Mapping[Dimension, tuple[str, ...]] = {
    Dimension.BYTES: ("GB", "GiB"),
    Dimension.BYTES_PER_SECOND: ("GB/s", "GiB/s", "Gb/s"),
    Dimension.FLOPS: ("GFLOP", "TFLOP"),
    Dimension.FLOPS_PER_SECOND: ("GFLOP/s", "TFLOP/s"),
    Dimension.SECONDS: ("s", "ms", "min"),
    Dimension.CORE_SECONDS: ("core s", "core h"),
    Dimension.CORES: ("cores",),
    Dimension.GPU_SECONDS: ("GPU s", "GPU h"),
    Dimension.GPUS: ("GPUs",),
    Dimension.OPERATIONS: ("ops", "kops"),
    Dimension.OPERATIONS_PER_SECOND: ("ops/s", "kops/s"),
    Dimension.TASKS_PER_SECOND: ("tasks/s", "tasks/h"),
}


def scale(unit: str, dimension: Dimension) -> Decimal | None:
    """Return how many base units a unit is, None if it is none of this dimension.

    Examples:
        >>> int(scale("KiB", Dimension.BYTES)), scale("GB", Dimension.SECONDS)
        (1024, None)
    """
    if dimension is Dimension.TASKS_PER_SECOND:
        return _scale_of_counted(unit)
    return _SCALES[dimension].get(unit)


def dimension_of(unit: str) -> Dimension | None:
    """Return what a unit measures, None for one that nobody knows."""
    return next((dimension for dimension in Dimension if scale(unit, dimension) is not None), None)


def _scale_of_counted(unit: str) -> Decimal | None:
    match = _COUNTED.fullmatch(unit)
    if match is None or any(match[1] in names or unit in names for names in _SCALES.values()):
        return None
    return 1 / _EACH[match[2]]


def _prefixed(*names: str, prefixes: Mapping[str, Decimal] = _DECIMAL) -> dict[str, Decimal]:
    return {f"{prefix}{name}": factor for name in names for prefix, factor in prefixes.items()}


def _per_second(amounts: Mapping[str, Decimal]) -> dict[str, Decimal]:
    return {f"{unit}/s": factor for unit, factor in amounts.items()}


def _spent(thing: str) -> dict[str, Decimal]:
    return {f"{thing} {unit}": factor for unit, factor in _TIMES.items()}


_PREFIXES = _DECIMAL | _BINARY
_BYTES = _prefixed("B", prefixes=_PREFIXES) | {
    unit: factor / 8 for unit, factor in _prefixed("b", "bit", prefixes=_PREFIXES).items()
}
_FLOPS = _prefixed("FLOP", "FLOPs")
_OPERATIONS = _prefixed("ops", "op")
_SCALES: Mapping[Dimension, Mapping[str, Decimal]] = {
    Dimension.BYTES: _BYTES,
    Dimension.BYTES_PER_SECOND: _per_second(_BYTES),
    Dimension.FLOPS: _FLOPS,
    Dimension.FLOPS_PER_SECOND: _per_second(_FLOPS) | _prefixed("FLOPS"),
    Dimension.SECONDS: _TIMES,
    Dimension.CORE_SECONDS: _spent("core"),
    Dimension.CORES: {"cores": Decimal(1), "core": Decimal(1)},
    Dimension.GPU_SECONDS: _spent("GPU"),
    Dimension.GPUS: {"GPUs": Decimal(1), "GPU": Decimal(1)},
    Dimension.OPERATIONS: _OPERATIONS,
    Dimension.OPERATIONS_PER_SECOND: _per_second(_OPERATIONS),
}
