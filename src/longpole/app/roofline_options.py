"""What ``longpole roofline`` is asked, from its options: targets, factors and resources, with their units."""

from __future__ import annotations

from longpole.app.roofline import Asked
from longpole.errors import UsageError
from longpole.model.case import Target
from longpole.model.quantity import parse_quantity
from longpole.model.resources import Dimension

# Beyond these, what is asked is a slip of the pen, and numbers may leave what floats can hold.
_LEAST_FACTOR, _MOST_FACTOR = 1e-6, 1e6


def asked_for(
    machine: str, target: tuple[str | None, str | None], intra_task: str | None, faster: tuple[str, ...]
) -> Asked:
    """Return what is asked.

    Raises:
        UsageError: A number or a unit is wrong.
    """
    makespan, throughput = target
    return Asked(
        machine=machine,
        target=Target(
            _wanted("--makespan", makespan, Dimension.SECONDS),
            _wanted("--throughput", throughput, Dimension.TASKS_PER_SECOND),
        ),
        intra_task=None if intra_task is None else _factor("--intra-task", intra_task, intra_task),
        faster=tuple(_faster(one) for one in faster),
    )


def _wanted(option: str, text: str | None, dimension: Dimension) -> float | None:
    if text is None:
        return None
    try:
        value = parse_quantity(text, dimension)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from error
    if value <= 0:
        raise UsageError(f"{option} must be above zero, not '{text}'.")
    return value


def _faster(text: str) -> tuple[str, float]:
    """Return resource and factor.

    Examples:
        >>> _faster("node=10"), _faster("memory=x2")
        (('node', 10.0), ('memory', 2.0))
    """
    resource, equals, factor = text.partition("=")
    if not equals:
        raise UsageError(
            f"--faster needs a resource and how many times as fast, as in node=10, not '{text}'."
        )
    return resource.strip(), _factor("--faster", factor, text)


def _factor(option: str, text: str, whole: str) -> float:
    try:
        value = float(text.strip().lower().removeprefix("x"))
    except ValueError:
        value = 0.0
    if not _LEAST_FACTOR <= value <= _MOST_FACTOR:
        raise UsageError(
            f"{option} needs a factor from a millionth to a million (1e-6 to 1e6), as in x2, not '{whole}'."
        )
    return value
