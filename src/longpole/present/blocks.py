"""Bars made of characters, and what is written where a stream does not have them."""

from __future__ import annotations

IN_ASCII = str.maketrans({"…": "~", "×": "x", "–": "-", "’": "'", "±": "+-"})
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int, encoding: str) -> str:
    """Return a bar of at most ``width`` characters, to an eighth of one where they can be drawn.

    Examples:
        >>> bar(0.5, 8, "utf-8"), bar(0.07, 8, "utf-8"), bar(0.5, 8, "ascii")
        ('████', '▌', '####')
    """
    share = min(max(share, 0.0), 1.0)
    if not draws_blocks(encoding):
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip() or ("▏" if share else "")


def draws_blocks(encoding: str) -> bool:
    """Return whether a terminal of this encoding can draw bars, dots and dashes."""
    return encoding.lower().replace("-", "").startswith("utf")
