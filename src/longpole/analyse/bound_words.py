"""What bounded phases, in sentences: what more or faster resources would change, and what was idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longpole.model.bounds import Bound, Bounded, Held, How, Utilisation
from longpole.model.explanation import Explanation

_MOST_NAMED = 2
# What held a phase for less than this share of its time does not bound it.
_BINDS = 0.5
_WORTH_SAYING = 0.05


def with_bounds(explanation: Explanation, found: Bounded) -> Explanation:
    """Return an explanation that says what bounded its phases, also in its answers."""
    if not found.bounds and not found.utilisation:
        return explanation
    asked = explanation.questions
    bound = " ".join(_sentences(found.bounds))
    used = " ".join(sentence for one in found.utilisation for sentence in _used(one))
    return replace(
        explanation,
        bounds=found.bounds,
        utilisation=found.utilisation,
        limits=(*explanation.limits, *found.limits),
        questions=replace(
            asked,
            resources=f"{asked.resources} {bound}".strip(),
            efficiency=f"{asked.efficiency} {used}".strip(),
        ),
    )


def _sentences(bounds: Sequence[Bound]) -> Iterator[str]:
    """Yield what bounds the phases that matter most; that some only wait for others tells nothing."""
    working = [one for one in bounds if not one.held or one.held[0].how is not How.BLOCKED]
    for one in working[:_MOST_NAMED]:
        yield bound_sentence(one)


def bound_sentence(one: Bound) -> str:
    """Return what bounds phases of one name, and what would change it."""
    first = one.held[0] if one.held else None
    if first is not None and first.share >= max(_BINDS, one.waiting_share):
        return _HELD[first.how](one, first)
    if one.waiting_share >= _BINDS:
        return _waiting(one)
    if one.unseen_share >= _BINDS:
        return f"Too little was sampled of {one.what} to say what bounds it."
    return f"No single resource bounds {one.what} for most of its time."


def _waiting(one: Bound) -> str:
    waited = f"{one.what} waited {_percent(one.waiting_share)} of its time"
    if one.kind == "data":
        return f"{waited} for batches: what loads them is what to make faster."
    busy = [use for use in one.uses if use.unit == "fraction" and use.mean >= _BINDS]
    if busy:
        meanwhile = f"{busy[0].resource} was busy {_percent(busy[0].mean)} of it"
        return f"{waited}, and {meanwhile}, with whose work is not known."
    best = next((gain for gain in one.gains if gain.seconds >= _BINDS * one.seconds), None)
    if best is not None:
        return f"{waited} in part: it was never all of the {best.resource} that it used."
    return f"{waited} on nothing that was seen: no resource that was measured would make it faster."


def _saturated(one: Bound, held: Held) -> str:
    gain = next((gain.seconds for gain in one.gains if gain.resource == held.resource), 0.0)
    which = "All cores were" if held.resource == "cores" else f"The {held.resource} was"
    most = _percent(gain / one.seconds)
    return (
        f"{which} busy {_percent(held.share)} of the time of {one.what}: more or faster ones could take off"
        f" up to {most} of it."
    )


def _own(one: Bound, held: Held) -> str:
    cores = "its one core" if held.amount <= 1 else f"its {held.amount:.0f} cores"
    return (
        f"{one.what} was limited by {cores} for {_percent(held.share)} of its time: more cores change"
        " nothing unless its work is spread over them, faster ones would."
    )


def _blocked(one: Bound, held: Held) -> str:
    return f"{one.what} waited {_percent(held.share)} of its time for {held.resource}."


_HELD = {How.SATURATED: _saturated, How.OWN: _own, How.BLOCKED: _blocked}


def _used(one: Utilisation) -> Iterator[str]:
    if one.others is not None and one.others >= _WORTH_SAYING * one.capacity:
        contended = one.contended_share or 0.0
        wanted = f", {_percent(contended)} of the time while the run wanted them too" if contended > 0 else ""
        yield f"Others used {one.others:.2f} of {one.capacity:g} {one.resource} meanwhile{wanted}."
    if one.data_wait_share is not None and one.ours < 1 - _WORTH_SAYING:
        share, name = _percent(one.data_wait_share), one.resource
        yield f"{name} was idle {_percent(1 - one.ours)}; its process waited for data {share} of that time."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
