"""Text out of a run as it may be shown: a terminal obeys what it is sent, and a run may be a stranger's."""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return a text whose control characters are spelt out.

    Examples:
        >>> visible("train\x1b[2J\n"), visible("größe 3")
        ('train\\x1b[2J\\n', 'größe 3')
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _spelt(letter) for letter in text)


def one_line(text: str) -> str:
    """Return a text of a run on one line, its control characters spelt out."""
    return visible(" ".join(text.split()))


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
