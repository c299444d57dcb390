"""Files of jobs: inputs are brought, outputs sent, folders removed; what takes long, by carriers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic_ns
from typing import NamedTuple

from longpole.model.staging import Item, Moved
from longpole.run.containers.read_only import left_writable, read_only_mounts
from longpole.run.engines.local.asking import Asking
from longpole.run.engines.local.at_once import link_all, rename_all
from longpole.run.engines.local.carriers import (
    Answer,
    Carrier,
    Errand,
    Request,
    answer_of,
    as_bytes,
    is_light,
)
from longpole.run.engines.local.crew import Crew
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.movements import note_moved
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Delivered
from longpole.run.locations import newest_of
from longpole.run.messages import Made
from longpole.run.orders import TaskOrder, folder_of
from longpole.store.derive.workflow_notes import Part

IMAGE_FOLDER = ".longpole/image"
# Where a run keeps, beside the folders of its jobs, what attempts have left for their next ones.
_UNFINISHED = "unfinished"

Then = Callable[[], None]
Break = Callable[[OpenJob, str], None]


class Ends(NamedTuple):
    """What comes after a movement: if it went well, and if it did not."""

    then: Callable[[Moved], None]
    fail: Break


class Staging:
    """Moves files for the jobs of one engine."""

    def __init__(self, settings: Settings, asking: Asking, fail: Break) -> None:
        """Let a crew of carriers join; ``fail`` is called when a job cannot have its files."""
        self._settings = settings
        self._asking = asking
        self._fail = fail
        self._carrier = Carrier(settings.way)
        self._saved: dict[str, Made] = {}
        self._crew = Crew(lambda _: Carrier(settings.way), settings.carriers, settings.scratch)
        asking.join(self._crew)

    def bring(self, job: OpenJob, orders: Sequence[TaskOrder], then: Then, fail: Break | None = None) -> None:
        """Bring what tasks need that is not in the job's folder yet.

        Args:
            job: The job.
            orders: Its tasks that need it.
            then: Called when all is there.
            fail: Called when something cannot be brought; by default, the job fails.
        """
        if any(order.left for order in orders):
            go_on, then = then, lambda: self._bring_left(job, orders, go_on)
        items = self._missing(job, orders)
        if not items:
            then()
            return
        job.there.update(item.name for item in items)
        way = _into_container(job, items) if _in_container(job) else ""
        if not way or self._settings.bring != "link":
            way = self._settings.bring
        if way == "link" and self._linked(job, items):
            then()
            return
        request = Request(Errand.BRING, way, job.folder, items)
        self._move(job, "stage_in", request, Ends(lambda _: then(), fail or self._fail))

    def send(self, job: OpenJob, names: list[str], then: Callable[[Mapping[str, Made]], None]) -> None:
        """Put files of a job's folder where the run keeps them."""
        if self._settings.send == "link" and (made := self._renamed(job, names)) is not None:
            then({each.name: each for each in made})
            return
        items = self._targets(names)
        request = Request(Errand.SEND, self._settings.send, job.folder, items)
        self._move(job, "stage_out", request, Ends(lambda moved: then(_made(moved)), self._fail))

    def save(self, job: OpenJob) -> None:
        """Keep what a failed attempt can be gone on from; if that fails, the next one starts fresh."""
        orders = job.orders.values()
        self._save(job, self._settings.send, self._targets(checkpoints_in(job)))
        left = in_folder(job, (name for order in orders for name in order.unfinished))
        folder = os.path.join(self._settings.scratch, _UNFINISHED)
        self._save(job, "link", tuple(Item(name, os.path.join(folder, name)) for name in left))

    def _save(self, job: OpenJob, way: str, items: tuple[Item, ...]) -> None:
        if items:
            answer = self._carrier.do(Request(Errand.SEND, way, job.folder, items))
            if answer.moved is not None:
                paths = {item.name: item.path for item in items}
                self._saved.update((paths[name], made) for name, made in _made(answer.moved).items())

    def _bring_left(self, job: OpenJob, orders: Sequence[TaskOrder], then: Then) -> None:
        """Bring copies of what can be gone on from, for they change; absent or damaged means fresh."""
        scratch = self._settings.scratch
        earlier = [folder_of(scratch, job.identity, n) for n in range(job.attempt - 1, 0, -1)]
        names = {name for order in orders for name in order.checkpoints} - job.there
        unfinished = {name for order in orders for name in order.unfinished} - job.there
        found = [self._settings.checkpoint(name, earlier) for name in sorted(names)]
        folders = (os.path.join(scratch, _UNFINISHED), *earlier)
        found += [newest_of(name, folders) for name in sorted(unfinished)]
        items = [self._checked(item) for item in found if item is not None]
        job.there.update(names | unfinished)
        self._bring_each(job, items, then)

    def _bring_each(self, job: OpenJob, items: list[Item], then: Then) -> None:
        """Bring one after the other, so that one that is damaged keeps no other from coming."""
        if not items:
            then()
            return
        first, *rest = items
        request = Request(Errand.BRING, "copy", job.folder, (first,))

        def go_on(_: object, __: object = None) -> None:
            self._bring_each(job, rest, then)

        self._move(job, "stage_in", request, Ends(go_on, go_on))

    def _checked(self, item: Item) -> Item:
        """Return what is gone on from with its checksum, if we have saved it ourselves."""
        saved = self._saved.get(item.path)
        if saved is None:
            return item
        return replace(item, size_bytes=saved.size_bytes, checksum=saved.checksum)

    def remove(self, folder: str) -> None:
        """Remove a folder, at once if it is empty, else by and by."""
        try:
            os.rmdir(folder)
        except OSError:  # something is in it: that takes longer
            self._carry(Request(Errand.REMOVE, "", folder), lambda _: None)

    def deliver(self, items: Sequence[Item], folder: str, then: Delivered) -> None:
        """Copy files that the run keeps into a folder; ``then`` is called when that has ended."""

        def delivered(answer: Answer) -> None:
            then("" if answer.moved is not None else answer.cause, answer.moved or Moved(()))

        self._carry(Request(Errand.BRING, "results", folder, tuple(items)), delivered)

    def end_all(self) -> None:
        """End all that carriers do at once: what it was for cannot go on."""
        self._crew.kill()

    def _carry(self, request: Request, then: Callable[[Answer], None]) -> None:
        """Let a carrier do an errand; if it cannot be asked, that is the answer."""
        try:
            self._asking.ask(self._crew, as_bytes(request), lambda data, _: then(_answer(data)))
        except OSError as error:
            then(Answer(None, f"Moving files of {request.folder} could not begin: {error.strerror}."))

    def _targets(self, names: Iterable[str]) -> tuple[Item, ...]:
        return tuple(Item(name, os.path.join(self._settings.kept, name)) for name in names)

    def _linked(self, job: OpenJob, items: tuple[Item, ...]) -> bool:
        start_ns = monotonic_ns()
        try:
            done = link_all(items, job.folder)
        except OSError:
            return False  # who takes more care tells what is wrong
        if done:
            job.parts.append(Part("stage_in", start_ns, monotonic_ns(), 0, 0, 0, len(items), name="link"))
        return done

    def _renamed(self, job: OpenJob, names: list[str]) -> tuple[Made, ...] | None:
        start_ns = monotonic_ns()
        made = rename_all(names, job.folder, self._settings.kept, self._settings.digest)
        if made is not None:
            job.parts.append(Part("stage_out", start_ns, monotonic_ns(), 0, 0, 0, len(names), name="link"))
        return made

    def _missing(self, job: OpenJob, orders: Iterable[TaskOrder]) -> tuple[Item, ...]:
        there = job.there
        items = {item.name: item for order in orders for item in order.inputs if item.name not in there}
        if job.shared:
            inside = {output.name for order in job.orders.values() for output in order.outputs}
            inside.update(name for made in job.made.values() for name in made)
            items = {name: item for name, item in items.items() if name not in inside}
        if self._settings.sends_images:
            for order in orders:
                path = order.template.image
                if is_sent(path) and (image := image_item(path)).name not in there:
                    items[image.name] = image
        return tuple(items.values())

    def _move(self, job: OpenJob, kind: str, request: Request, ends: Ends) -> None:
        start_ns = monotonic_ns()

        def go_on(answer: Answer) -> None:
            end_ns = monotonic_ns()
            if answer.moved is None:
                job.parts.append(Part(kind, start_ns, end_ns, 1, name=request.way))
                ends.fail(job, answer.cause)
            else:
                note_moved(job.parts, Part(kind, start_ns, end_ns, name=request.way), answer.moved)
                ends.then(answer.moved)

        if is_light(request):
            go_on(self._carrier.do(request))
        else:
            self._carry(request, go_on)


def is_sent(image: str) -> bool:
    """Say whether a container image can be sent like a file: what a registry has, its runtime fetches."""
    return os.path.isabs(image)


def image_item(image: str) -> Item:
    """Return a container image, by its absolute path, as a file of a job."""
    path, slash = image.rstrip("/"), "/" if os.path.isdir(image) else ""
    return Item(f"{IMAGE_FOLDER}/{os.path.basename(path)}{slash}", path + slash)


def _made(moved: Moved) -> dict[str, Made]:
    sums = moved.checksums
    return {name: Made(name, size, sums.get(name, "")) for name, size in moved.sizes.items()}


def _into_container(job: OpenJob, items: Sequence[Item]) -> str:
    """Return how files come into a container, where no link leads out; a copy, if a task could change one."""
    names = [item.name for item in items]
    made = [output.name for order in job.orders.values() for output in order.outputs]
    return "copy" if left_writable(names, read_only_mounts(names, made)) else "hardlink"


def checkpoints_in(job: OpenJob) -> list[str]:
    """Return the checkpoints of a job's tasks that lie in its folder."""
    return in_folder(job, (name for order in job.orders.values() for name in order.checkpoints))


def in_folder(job: OpenJob, names: Iterable[str]) -> list[str]:
    """Return those of some names that lie in a job's folder."""
    return [name for name in names if os.path.lexists(os.path.join(job.folder, name))]


def _in_container(job: OpenJob) -> bool:
    return any(order.template.image for order in job.orders.values())


def _answer(data: bytes) -> Answer:
    return answer_of(data) if data else Answer(None, "The process that moved its files has died.")
