"""Functions that are tasks: of ours, and of the engines that ours is compared with."""

from collections.abc import Sequence


def nothing(_: object = None) -> None:
    """Do nothing; an engine that makes a chain of it hands over what came before."""


def how_many(some: Sequence[object]) -> int:
    """Return how many results have come."""
    return len(some)
