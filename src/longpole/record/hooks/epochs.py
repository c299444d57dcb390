"""Epochs: loops over a data loader, from the first look into it to its end.

An epoch that trained nothing is an evaluation. A loop that was left early ends with its last fetch, which is
known when its iterator is dropped; where somebody keeps that, when the next loop over the same loader begins,
or when the process ends.
"""

from __future__ import annotations

from _thread import get_ident
from _weakref import ref
from time import monotonic_ns

from longpole.record.client.phases import Past, current, lane, new_identity, this_ring, write_past
from longpole.record.hooks.ends import at_end
from longpole.record.hooks.events import EPOCHS, MODELS
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.noting import BATCH, TRAINING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.loop import Loop

_EPOCH, _EVALUATION = "epoch", "evaluation"


def batch_size_of(loader: Any) -> int | None:
    """Return how many examples the batches of a loader have; None if it does not say."""
    own = getattr(loader, "batch_size", None)
    size = own if own is not None else getattr(getattr(loader, "batch_sampler", None), "batch_size", None)
    return size if type(size) is int else None


def model_in_training() -> dict[str, Any]:
    """Return what is known of the model that is trained: of several the largest. Never raises.

    Its size is known of the first of its class, while that one lives; of later ones only the name.
    """
    try:
        living = {name: known for name, known in MODELS.items() if known[0]() is not None}
        training = {name: known for name, known in living.items() if known[0]().training}
        if training:
            name, (_, parameters, size) = max(training.items(), key=lambda item: item[1][1])
            return {"model": name, "parameters": parameters, "model_bytes": size}
        return {"model": next(iter(MODELS))} if len(MODELS) == 1 and not living else {}
    except Exception:  # noqa: BLE001  a model may be anything
        return {}


class Epoch:
    """One loop over a loader that is under way; ``counts`` are its steps, by kind."""

    __slots__ = (
        "batch_size",
        "batches",
        "counts",
        "identity",
        "lane",
        "last_ns",
        "loader",
        "number",
        "parent",
        "place",
        "start_ns",
        "watch",
    )

    def __init__(self, loader: int, number: int, start_ns: int) -> None:
        """Begin one over a loader, the first, second and so on."""
        self.loader = loader
        self.number = number
        self.start_ns = self.last_ns = start_ns
        self.identity, self.parent, self.lane = new_identity(), current(), lane()
        self.counts = [0, 0, 0]
        self.batches: int | None = None
        self.batch_size: int | None = None
        self.watch: Any = None
        self.place = -1
        ring = this_ring()
        if ring is not None:
            names = ring.text(_EPOCH), ring.text(_EPOCH)
            self.place = ring.open_phase(self.lane, self.identity, self.parent, *names, start_ns)

    def write(self, end_ns: int) -> None:
        """Write it, now that it has ended."""
        kind = _EPOCH if self.counts[TRAINING] or not any(self.counts[:BATCH]) else _EVALUATION
        past = Past(kind, kind, (self.start_ns, end_ns))
        past.identity, past.parent, past.lane = self.identity, self.parent, self.lane
        past.attributes = {"number": self.number, "batches": self.batches, "steps": self.counts[TRAINING]}
        if self.batch_size is not None:
            past.attributes["batch_size"] = self.batch_size
        if kind == _EPOCH:
            past.attributes.update(model_in_training())
        write_past(past)
        ring = this_ring()
        if ring is not None:
            ring.close_phase(self.place)


class Epochs:
    """All epochs that are under way in this process, by the iterator that is looped over."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: dict[int, Epoch] = EPOCHS
        self._numbers: dict[int, int] = {}

    def begin(self, loader: Any, iterator: Any, start_ns: int) -> None:
        """A loop over a loader begins."""
        loop = LOOPS.settled()
        if loop is None or loop.led:
            return
        loop.leave_loop()
        self._write_left(id(loader), id(iterator))
        if not self._open:
            at_end(self.finish)
        number = self._numbers[id(loader)] = self._numbers.get(id(loader), 0) + 1
        epoch = self._open[id(iterator)] = Epoch(id(loader), number, start_ns)
        epoch.batch_size = batch_size_of(loader)
        loop.begin_epoch(id(loader), start_ns)
        key = id(iterator)
        epoch.watch = ref(iterator, lambda _: self._drop(key, epoch, loop))

    def _drop(self, iterator: int, epoch: Epoch, loop: Loop) -> None:
        """The iterator of an epoch is no more: if it had not ended, it was left early. Never raises."""
        try:
            if self._open.get(iterator) is epoch and LOOPS.known.get(get_ident()) is loop and not loop.led:
                loop.settle()
                loop.drop_loop(iterator, epoch, monotonic_ns())
                self._write(iterator)
        except Exception:  # noqa: BLE001  this may be in the midst of anything
            pass

    def _write_left(self, loader: int, iterator: int) -> None:
        """Write the epochs of this loader that were left early in this thread, and one of this iterator."""
        here = lane()
        for key, epoch in list(self._open.items()):
            if key == iterator or (epoch.loader == loader and epoch.lane == here):
                self._write(key)

    def leave(self, loop: Loop, iterator: Any, error: BaseException) -> None:
        """The fetch has failed: usually because there was no further batch. Never raises."""
        try:
            now = monotonic_ns()
            loop.settle()
            loop.end_epoch(now)
            epoch = self._open.get(id(iterator))
            if epoch is not None and isinstance(error, StopIteration):
                epoch.last_ns = now
                epoch.batches = getattr(iterator, "_num_yielded", None)
                self._write(id(iterator))
        except Exception:  # noqa: BLE001  an exception of the program is on its way
            pass

    def finish(self) -> None:
        """Write those that were left early."""
        for iterator in list(self._open):
            self._write(iterator)

    def _write(self, iterator: int) -> None:
        epoch = self._open.pop(iterator, None)
        if epoch is not None:
            epoch.write(epoch.last_ns)
