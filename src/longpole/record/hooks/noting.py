"""Steps that have ended, on their way into the ring: in full as far as the budget allows, else counted.

They wait in a list and are written several at a time. How many wait is a word in the ring, so that the
number of steps is exact even when the process is killed. A step whose parts came once each is one slot; one
with more of them (accumulated gradients, several models) is a phase with a phase for each part.
"""

from __future__ import annotations

from longpole.log.slots import (
    OK,
    OWED_WORDS,
    PHASE,
    PHASE_LAYOUT,
    STEP,
    STEP_KINDS,
    STEP_NONE,
    STEP_PARTS,
    STEP_WORDS,
)
from longpole.record.client.phases import new_identity
from longpole.record.hooks.budget import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.client.ring import Ring

    Parts = list[tuple[int, int, int]]
    # The four words of a slot that hold the times of a step with its four parts, or with data alone.
    Times = tuple[int, int, int, int]
    # start, end, parts, the phase it is part of, the model that was called
    Step = tuple[int, int, Parts | Times, int, str]

TRAINING, INFERENCE, BATCH = range(3)
_DATA, _FORWARD, _CHECKPOINT = 0, 1, 4
NO_PART = STEP_NONE << 32
_PART_KINDS = (*STEP_PARTS, "checkpoint")
_MANY = 16
# So many parts of one step are kept apart; more are only in its time.
_MOST_PARTS = 256


class Notebook:
    """The steps of one thread that wait to be written.

    Attributes:
        owed: How many wait, or will when what has happened is looked at, by kind.
        words: Where that is kept for whoever finds the process killed.
        word: Its place there.
    """

    __slots__ = ("_budget", "_lane", "_ring", "_waiting", "owed", "word", "words")

    def __init__(self, ring: Ring, lane: int) -> None:
        """Write into the ring, as thread ``lane``."""
        self._ring = ring
        self._lane = lane
        self._budget = Budget(ring)
        self._waiting: list[tuple[int, Step]] = []
        self.owed = 0
        has_place = lane < len(OWED_WORDS)
        self.words: Any = ring.words if has_place else [0]
        self.word = OWED_WORDS[lane] if has_place else 0

    @property
    def full(self) -> bool:
        """Whether enough steps wait."""
        return len(self._waiting) >= _MANY

    @property
    def light(self) -> bool:
        """Whether steps of training need not be looked at in full for now."""
        return self._budget.light

    @property
    def counts_inference(self) -> bool:
        """Whether steps of inference are only counted for now."""
        return self._budget.counts(INFERENCE)

    @property
    def quiet(self) -> bool:
        """Whether steps of training are only counted for now."""
        return self._budget.counts(TRAINING)

    def typical_ns(self, kind: int) -> int:
        """Return how long steps of this kind take."""
        return self._budget.typical_ns(kind)

    def wait_ns(self, kind: int) -> int:
        """Return how long what happens next, steps of this kind, may wait to be looked at."""
        return self._budget.wait_ns(kind)

    def owe(self, kind: int = TRAINING) -> None:
        """Hear that a step has ended, which will be written in a moment."""
        self.owed += 1 << 16 * kind
        self.words[self.word] = self.owed

    def put(self, kind: int, step: Step) -> None:
        """Take a step that has ended."""
        self._waiting.append((kind, step))

    def count_inference(self, model: str, ends: list[int]) -> None:
        """Count steps of inference that each last from one of these times to the next."""
        self._budget.count(INFERENCE, len(ends) - 1, ends[-1] - ends[0])
        tally = self._ring.tally(model, STEP_KINDS[INFERENCE])
        if tally is not None:
            tally.add_row(ends)

    def note_alike(self, starts: tuple[int, ...], fetched: tuple[int, ...], parent: int) -> None:
        """Note steps of training at once that each last to the next start, their data there in between."""
        kind = STEP_KINDS[TRAINING]
        if self._budget.count(TRAINING, len(fetched), starts[-1] - starts[0]).counted:
            tally = self._ring.tally(kind, kind)
            if tally is not None:
                tally.add_row(list(starts))
            return
        slot, label = self._ring.slot, self._ring.text(kind) << 40 | TRAINING << 32
        first = STEP | OK << 8 | self._lane << 16 | parent << 32
        for start, there, end in zip(starts, fetched, starts[1:]):
            times = end - start | there - start << 32, NO_PART, NO_PART, NO_PART
            if not slot(STEP_WORDS, first, new_identity() | label, start, *times):
                self._count(TRAINING, (start, end, [], parent, ""))

    def write(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        for kind, step in waiting:
            start, end, parts, _, _ = step
            seen = len(parts) > (kind == TRAINING) and parts[-1] != NO_PART
            if not self._budget.in_full(kind, end - start, seen) or not self._write(kind, step):
                self._count(kind, step)
        self.words[self.word] = self.owed = 0

    def _write(self, kind: int, step: Step) -> bool:
        """Write a step in full; return whether there was room."""
        start, end, parts, _, _ = step
        if isinstance(parts, tuple):
            return self._write_words(kind, step, parts)
        if kind == INFERENCE and len(parts) == 1 and parts[0] == (_FORWARD, start, end):
            took = end - start
            if took < STEP_NONE:  # the frequent case, without the detours of the others
                return self._write_words(kind, step, (took | NO_PART, took << 32, NO_PART, NO_PART))
        spans = [end - start, STEP_NONE, 0, STEP_NONE, 0, STEP_NONE, 0, STEP_NONE]
        for part, begun, ended in parts:
            at = 2 * part + 1
            if part == _CHECKPOINT or spans[at] != STEP_NONE or (part == _DATA and begun != start):
                return self._write_apart(kind, step)
            spans[at] = max(0, ended - begun)
            spans[at - 1] = max(0, begun - start) if part else end - start
        if max(spans[::2]) >= STEP_NONE or not start <= end:
            return self._write_apart(kind, step)
        return self._write_words(kind, step, tuple(spans[at] | spans[at + 1] << 32 for at in (0, 2, 4, 6)))

    def _write_words(self, kind: int, step: Step, times: tuple[int, ...]) -> bool:
        first = STEP | OK << 8 | self._lane << 16 | step[3] << 32
        second = new_identity() | self._label(kind, step) << 32
        return self._ring.slot(STEP_WORDS, first, second, step[0], *times)

    def _write_apart(self, kind: int, step: Step) -> bool:
        """Write a step as a phase of its own, with one for each of its parts."""
        start, end, all_parts, parent, _ = step
        parts = [part for part in all_parts if isinstance(part, tuple)]
        ring, identity = self._ring, new_identity()
        names = self._label(kind, step) >> 8, ring.text(STEP_KINDS[kind])
        if not ring.slot(
            PHASE_LAYOUT, PHASE, OK, self._lane, identity, parent, *names, 0, start, end, 0, 0, 0
        ):
            return False
        for part, begun, ended in parts[:_MOST_PARTS]:
            if part != _CHECKPOINT:  # those are phases already
                text = ring.text(_PART_KINDS[part])
                whose = self._lane, new_identity(), identity
                ring.slot(PHASE_LAYOUT, PHASE, OK, *whose, text, text, 0, begun, ended, 0, 0, 0)
        return True

    def _count(self, kind: int, step: Step) -> None:
        tally = self._ring.tally(_name(kind, step), STEP_KINDS[kind])
        if tally is not None:
            tally.add(step[0], step[1])

    def _label(self, kind: int, step: Step) -> int:
        return self._ring.text(_name(kind, step)) << 8 | kind


def _name(kind: int, step: Step) -> str:
    return step[4] if kind == INFERENCE else STEP_KINDS[kind]


def full_times(when: tuple[int, ...]) -> Times:
    """Return the words of a step whose usual events, from its fetch to the next, came at these times."""
    start, fetched, called, _, back, done, optimize, stepped, end = when
    return (
        (end - start | fetched - start << 32),
        (called - start | back - called << 32),
        (back - start | done - back << 32),
        (optimize - start | stepped - optimize << 32),
    )


def light_times(when: tuple[int, ...]) -> Times:
    """Return the words of a step of which only fetch and end were looked at, from its fetch to the next."""
    start, fetched, _, end = when[:4]
    return (end - start | fetched - start << 32), NO_PART, NO_PART, NO_PART
