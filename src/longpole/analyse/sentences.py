"""Words of sentences that tell a person about a run."""

from __future__ import annotations


def count_of(number: int, what: str) -> str:
    """Return a number of things in words.

    Examples:
        >>> count_of(1, "process"), count_of(1200, "phase")
        ('1 process', '1,200 phases')
    """
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"


def sentence(text: str) -> str:
    """Return a text that begins with a capital and ends with one full stop.

    Examples:
        >>> sentence("the agent was killed"), sentence("It was late.")
        ('The agent was killed.', 'It was late.')
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
