"""Units: names for numbers, and how people read and write them."""

from __future__ import annotations

from longpole.errors import UsageError

Nanoseconds = int
Bytes = int

_SIZES = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGTP", start=1):
    _SIZES[f"{_letter}B"] = 1000**_power
    _SIZES[f"{_letter}IB"] = _SIZES[_letter] = 1024**_power
_SPANS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def parse_size(text: str) -> Bytes:
    """Return the bytes a person meant.

    A letter alone is binary, as ``dd`` and ``ls -h`` have it.

    Examples:
        >>> parse_size("200MB"), parse_size("64 KiB"), parse_size("1G")
        (200000000, 65536, 1073741824)
    """
    number, unit = _split(text)
    try:
        size = int(float(number) * _SIZES[unit.upper()])
    except (KeyError, ValueError, OverflowError):
        raise UsageError(f"'{text}' is not a size. Write it as 200MB, 64KiB or 1G.") from None
    if size < 0:
        raise UsageError(f"A size cannot be negative: '{text}'.")
    return size


def parse_span(text: str) -> float:
    """Return the seconds a person meant.

    Examples:
        >>> parse_span("30d"), parse_span("90 min"), parse_span("1.5h")
        (2592000.0, 5400.0, 5400.0)
    """
    number, unit = _split(text)
    try:
        seconds = float(number) * _SPANS[unit.lower()]
    except (KeyError, ValueError):
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"'{text}' is not a span of time. Write it as 30d, 12h, 90min or 45s.")
    return seconds


def show_bytes(size: float) -> str:
    """Return a size as people read it, in decimal units.

    Examples:
        >>> show_bytes(999), show_bytes(13112012), show_bytes(2.5e12)
        ('999 B', '13.1 MB', '2.5 TB')
    """
    if abs(size) < 999.5:
        return f"{size:.0f} B"
    for letter in "kMGTP":
        size /= 1000
        if abs(size) < 999.5 or letter == "P":
            break
    return f"{size:.3g} {letter}B" if abs(size) < 100 else f"{size:.0f} {letter}B"


def show_seconds(seconds: float) -> str:
    """Return a span of time as people read it.

    Examples:
        >>> show_seconds(0.0000042), show_seconds(0.25), show_seconds(75), show_seconds(7384)
        ('4.2 us', '250 ms', '1 min 15 s', '2 h 03 min')
    """
    if seconds >= 3599.5:
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if seconds >= 59.95:
        whole = round(seconds)
        return f"{whole // 60} min {whole % 60:02d} s"
    if seconds >= 0.9995:
        return f"{seconds:.2f} s" if seconds < 9.995 else f"{seconds:.1f} s"
    for unit, scale in (("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 0.9995:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns" if seconds else "0 s"


def _split(text: str) -> tuple[str, str]:
    stripped = text.strip()
    unit = stripped.lstrip("+-.0123456789eE") if stripped[-1:].isalpha() else ""
    return stripped[: len(stripped) - len(unit)].strip(), unit.strip()
