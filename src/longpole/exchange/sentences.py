"""Sentences on what a file does not tell."""

from __future__ import annotations


def count_of(count: int, noun: str) -> str:
    """Return a number with its noun.

    Examples:
        >>> count_of(1, "line"), count_of(2300, "line")
        ('1 line', '2,300 lines')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def quoted(text: str) -> str:
    """Return what a file says as part of a sentence: on one line, and not too long.

    Examples:
        >>> quoted("13 parsecs"), quoted("a" * 50)
        ("'13 parsecs'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'")
    """
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return f"'{line[:40]}...'" if len(line) > 40 else f"'{line}'"
