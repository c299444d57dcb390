"""Quantities as people write them: a number and a unit that fits what is measured, and nothing else.

A value is in base units: bytes, FLOP, seconds, core seconds, or so many per second.
"""

from __future__ import annotations

import re
from decimal import Decimal

from longpole.errors import UsageError
from longpole.model.resources import Dimension
from longpole.model.text import visible
from longpole.model.unit_names import EXAMPLES, dimension_of, scale

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.ASCII | re.DOTALL)
_ENDLESS = re.compile(r"[+-]?(inf|infinity|nan)\b.*", re.IGNORECASE | re.DOTALL)
_LARGEST = 1e300
_SHOWN_LETTERS = 60
_LONG = 18

# Units that are shown, from the smallest, each from so many base units on.
_TIMES = (("ns", 0.0), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 120.0), ("h", 7200.0), ("d", 172800.0))
_NAMES = {
    Dimension.BYTES: "bytes",
    Dimension.BYTES_PER_SECOND: "bytes per second",
    Dimension.FLOPS: "floating-point operations",
    Dimension.FLOPS_PER_SECOND: "floating-point operations per second",
    Dimension.SECONDS: "time",
    Dimension.CORE_SECONDS: "core time",
    Dimension.CORES: "cores",
    Dimension.GPU_SECONDS: "GPU time",
    Dimension.GPUS: "GPUs",
    Dimension.OPERATIONS: "operations",
    Dimension.OPERATIONS_PER_SECOND: "operations per second",
    Dimension.TASKS_PER_SECOND: "tasks per second",
}


def parse_quantity(text: str, dimension: Dimension) -> float:
    """Return the value that a person meant, in base units.

    Raises:
        UsageError: It has no number or unit, one of something else, or is negative or not finite.

    Examples:
        >>> parse_quantity("10 Gb/s", Dimension.BYTES_PER_SECOND), parse_quantity("2 KiB", Dimension.BYTES)
        (1250000000.0, 2048.0)
        >>> parse_quantity("38.8 TFLOPS", Dimension.FLOPS_PER_SECOND)
        38800000000000.0
    """
    number, unit = _split(text, dimension)
    factor = scale(unit, dimension)
    if factor is None:
        raise UsageError(_wrong_unit(text, number, unit, dimension))
    if float(number) < 0:
        raise UsageError(f"'{_short(text)}' is negative; {_offer(number.lstrip('-'), dimension)}.")
    value = float(number) * float(factor)
    if value > _LARGEST:
        raise UsageError(f"'{_short(text)}' is too large; {_offer('1', dimension)}.")
    return float(Decimal(number) * factor) if value else 0.0


def parse_share(text: str) -> float:
    """Return the share that a person meant by so many per cent.

    Examples:
        >>> parse_share("6 %"), parse_share("12.5%")
        (0.06, 0.125)
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or match[2] != "%":
        raise UsageError(f"'{_short(text)}' is not a share; write it as 6 % or the like.")
    if not 0 <= float(match[1]) <= 100:
        raise UsageError(f"'{_short(text)}' is not a share; it must be between 0 % and 100 %.")
    return float(Decimal(match[1]) / 100) if float(match[1]) else 0.0


def show_quantity(value: float, dimension: Dimension) -> str:
    """Return a value as people read it, in decimal units and three digits; it parses back to within 1 %.

    Examples:
        >>> show_quantity(38.8e12, Dimension.FLOPS_PER_SECOND), show_quantity(4.2, Dimension.SECONDS)
        ('38.8 TFLOP/s', '4.2 s')
        >>> show_quantity(0.00117188, Dimension.TASKS_PER_SECOND), show_quantity(1, Dimension.CORES)
        ('0.00117 tasks/s', '1 core')
    """
    unit, factor = _unit_for(value, dimension)
    number = value / float(factor)
    shown = f"{number:.0f}" if 99.95 <= number < 1e15 else f"{number:.3g}"
    singular = shown == "1" and dimension in {Dimension.CORES, Dimension.GPUS}
    return f"{shown} {unit[:-1] if singular else unit}"


def write_quantity(value: float, dimension: Dimension) -> str:
    """Return a value as a file keeps it: it parses back to the very same number.

    Examples:
        >>> write_quantity(6.22e12, Dimension.BYTES_PER_SECOND), write_quantity(1 / 3, Dimension.SECONDS)
        ('6.22 TB/s', '0.3333333333333333 s')
    """
    exact = Decimal(repr(float(value)))
    unit, factor = _unit_for(value, dimension)
    text = f"{_plain(exact / factor)} {unit}"
    if len(text) > _LONG or parse_quantity(text, dimension) != value:
        return f"{_plain(exact)} {_base_unit(dimension)}"
    return text


def write_share(share: float) -> str:
    """Return a share in per cent as a file keeps it: it parses back to the very same number.

    Examples:
        >>> write_share(0.06)
        '6 %'
    """
    return f"{_plain(Decimal(repr(float(share))) * 100)} %"


def _split(text: str, dimension: Dimension) -> tuple[str, str]:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        reason = (
            "is not a finite number" if _ENDLESS.fullmatch(text.strip()) else "does not begin with a number"
        )
        raise UsageError(f"'{_short(text)}' {reason}; {_offer('1', dimension)}.")
    if not match[2]:
        raise UsageError(f"'{_short(text)}' has no unit; {_offer(match[1], dimension)}.")
    return match[1], re.sub(r"\s+", " ", match[2])


def _wrong_unit(text: str, number: str, unit: str, dimension: Dimension) -> str:
    other = dimension_of(unit)
    if other is None:
        return f"'{_short(text)}' has an unknown unit, '{_short(unit)}'; {_offer(number, dimension)}."
    return f"'{_short(text)}' is in {_NAMES[other]}, not in {_NAMES[dimension]}; {_offer(number, dimension)}."


def _offer(number: str, dimension: Dimension) -> str:
    number = number if len(number) < 20 else "1"
    return f"write it as {', '.join(f'{number} {unit}' for unit in EXAMPLES[dimension])} or the like"


def _unit_for(value: float, dimension: Dimension) -> tuple[str, Decimal]:
    steps = _steps(dimension)
    # Rounded to three digits, 999.7 is 1000 already.
    reached = [unit for unit, least in steps if value >= least * 0.9995]
    unit = reached[-1] if reached and value > 0 else _base_unit(dimension)
    return unit, scale(unit, dimension) or Decimal(1)


def _steps(dimension: Dimension) -> tuple[tuple[str, float], ...]:
    base = _base_unit(dimension)
    if dimension in {Dimension.SECONDS, Dimension.CORE_SECONDS, Dimension.GPU_SECONDS}:
        return tuple((f"{base[:-1]}{unit}", least) for unit, least in _TIMES)
    if dimension in {Dimension.CORES, Dimension.GPUS, Dimension.TASKS_PER_SECOND}:
        return ((base, 0.0),)
    return ((base, 0.0), *((f"{letter}{base}", 1000.0**power) for power, letter in enumerate("kMGTPE", 1)))


def _base_unit(dimension: Dimension) -> str:
    return dimension.value.replace("bytes", "B")


def _plain(number: Decimal) -> str:
    """Return a number without trailing zeros, and without an exponent where it is short enough."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if len(text) < 30 else str(number)


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}..."
