"""What processes said about their own recording: hooks that gave up, how much is noted of steps, and ranks.

A remark is JSON that says what it is about. One that is not understood is passed over: it may be of a later
version, or of a program that writes into its ring what it likes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from longpole.log.slots import REMARK
from longpole.model.recording import DetailChoice, HookFailure
from longpole.store.derive.content import LogContent
from longpole.store.derive.rings import Hello, Rank, Rings

_Count = Annotated[int, Meta(ge=0, le=1 << 60)]
_Word = Annotated[str, Meta(max_length=4096)]
# So many different failures are told apart; a log with more is forged.
_MOST_FAILURES = 100


class HookRemark(Struct, tag_field="about", tag="hook", frozen=True):
    """A hook gave up."""

    hook: _Word
    why: _Word = ""


class DetailRemark(Struct, tag_field="about", tag="detail", frozen=True):
    """How much is noted of steps of one kind from now on."""

    kind: _Word
    detail: _Word = ""
    every: _Count = 1
    step_ns: _Count = 0
    cost_ns: _Count = 0
    light: bool = False


class RankRemark(Struct, tag_field="about", tag="rank", frozen=True):
    """Which rank the process has, now that it knows."""

    rank: Rank | None = None
    world: Rank | None = None


_DECODER: msgspec.json.Decoder[HookRemark | DetailRemark | RankRemark] = msgspec.json.Decoder(
    HookRemark | DetailRemark | RankRemark
)


class Remarks:
    """The remarks of all processes, in the order they were made."""

    def __init__(self, logs: list[LogContent], rings: Rings) -> None:
        """Read them out of all logs; ranks are put right in the rings at once."""
        self._hooks: list[tuple[int, HookRemark]] = []
        self._details: list[tuple[int, DetailRemark]] = []
        for ring, remark in _remarks(logs, rings):
            if isinstance(remark, HookRemark):
                self._hooks.append((ring, remark))
            elif isinstance(remark, DetailRemark):
                self._details.append((ring, remark))
            else:
                role = rings.all[ring].hello.role
                rings.all[ring].hello = Hello(role, remark.rank, remark.world)

    def failures(self, owners: Sequence[int | None]) -> tuple[HookFailure, ...]:
        """Return the hooks that gave up; ``owners`` are the processes of the rings."""
        who: dict[tuple[str, str], set[tuple[str, int]]] = {}
        for ring, remark in self._hooks:
            owner = owners[ring]
            said = who.setdefault((remark.hook, remark.why), set())
            said.add(("ring", ring) if owner is None else ("process", owner))
        found = [HookFailure(hook, why, len(said)) for (hook, why), said in who.items()]
        return tuple(sorted(found, key=lambda one: (-one.processes, one.hook, one.why))[:_MOST_FAILURES])

    def choices(self, owners: Sequence[int | None]) -> tuple[DetailChoice, ...]:
        """Return the last choice of each process and kind, and how many there were."""
        found: dict[tuple[int | None, int, str], DetailChoice] = {}
        for ring, remark in self._details:
            owner = owners[ring]
            key = owner, 0 if owner is not None else ring, remark.kind
            before = found[key].choices if key in found else 0
            facts = remark.kind, remark.detail, remark.every, remark.step_ns, remark.cost_ns
            found[key] = DetailChoice(owner, *facts, before + 1, remark.light and remark.every > 1)
        return tuple(sorted(found.values(), key=lambda one: (one.process or 0, one.kind)))


def _remarks(logs: list[LogContent], rings: Rings) -> Iterator[tuple[int, Any]]:
    """Yield the ring and content of each remark, once, though two logs may have it."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for at, log in enumerate(logs):
        records, indices = rings.pop(log.rings, REMARK, at)
        said = rings.texts.lookup(indices, records["text"], "")
        keys = zip(indices.tolist(), records["number"].tolist(), strict=True)
        found.update(zip(keys, zip(records["at"].tolist(), said.tolist(), strict=True), strict=True))
    for (ring, _), (_, text) in sorted(found.items(), key=lambda item: (item[1][0], item[0])):
        try:
            yield ring, _DECODER.decode(text)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            pass
