"""Figures as they stand in sentences: three digits, and a unit that a person would choose."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def seconds(took_ns: float) -> str:
    """Return a time in seconds.

    Examples:
        >>> seconds(1_234_000_000), seconds(12_000), seconds(4_321e9)
        ('1.23 s', '1.2e-05 s', '4,321 s')
    """
    took_s = took_ns / 1e9
    return f"{took_s:,.0f} s" if took_s >= 100 else f"{took_s:.3g} s"


def percent(share: float) -> str:
    """Return a share in per cent.

    Examples:
        >>> percent(0.333), percent(0.042)
        ('33 %', '4.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def size(count_bytes: float) -> str:
    """Return a number of bytes.

    Examples:
        >>> size(999), size(1_500_000), size(2e12)
        ('999 B', '1.5 MB', '2 TB')
    """
    for unit in _UNITS[:-1]:
        if count_bytes < 999.5:
            return f"{count_bytes:.3g} {unit}"
        count_bytes /= 1000
    return f"{count_bytes:.3g} {_UNITS[-1]}"
