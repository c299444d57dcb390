"""Which tasks need not run: those whose outputs are there, made from the same by the same."""

from __future__ import annotations

from collections.abc import Iterable

from longpole.model.staging import Item
from longpole.model.workflow import Template
from longpole.plan.expansion import Expansion
from longpole.plan.reuse import Ingredients, fingerprint
from longpole.run.containers.none import NoContainer
from longpole.run.file_identity import FileIdentities
from longpole.run.function_code import code_of
from longpole.run.ledger import Ledger
from longpole.run.locations import Locations
from longpole.run.messages import Made
from longpole.run.orders import Orders, TaskOrder
from longpole.run.policy import Known


class Reuse:
    """Knows what was made before."""

    def __init__(
        self, expansion: Expansion, orders: Orders, locations: Locations, ledger: Ledger, container: str
    ) -> None:
        """Take the tasks, where their files are, and the container runtime as it was asked for."""
        self._expansion, self._orders, self._locations, self._ledger = expansion, orders, locations, ledger
        self._contained = container != NoContainer.name
        self._files = FileIdentities()

    def known(self, task: int) -> Known | None:
        """Return what a task has made, if it need not run."""
        entry = self._ledger.find(self._expansion.tasks[task].name)
        if entry is None or not self._expansion.tasks[task].template.outputs:
            return None
        order = self._orders.task(task, None)
        if entry.print != self._fingerprint(order):
            return None
        made = self._ledger.unchanged(entry)
        return None if made is None else Known(made, bytes.fromhex(entry.value), cached=True)

    def note(self, order: TaskOrder, made: tuple[Made, ...], value: bytes) -> None:
        """Remember what a task has made, and that its checkpoints have served."""
        if order.print:
            self._ledger.add(order.name, order.print, made, value)
        if order.checkpoints:
            self._ledger.spend(order.checkpoints)

    def look_at(self, order: TaskOrder) -> None:
        """Take the fingerprint of a task that is about to run: later its inputs may be others."""
        if order.template.outputs:
            order.print = self._fingerprint(order)

    def _fingerprint(self, order: TaskOrder) -> str:
        template = order.template
        own = {*template.code, template.program}
        return fingerprint(
            Ingredients(
                command=_said(order),
                outputs=tuple(output.name for output in order.outputs),
                environment=order.environment,
                image=self._image(template),
                programs=self._sums(item for item in order.inputs if item.name in own),
                inputs=self._sums(item for item in order.inputs if item.name not in own),
            )
        )

    def _image(self, template: Template) -> str:
        """Return the identity of the image that a task runs in; none of one that runs on the host."""
        runs_in_it = self._contained and template.call is None
        return self._files.of_image(template.image) if runs_in_it else ""

    def _sums(self, items: Iterable[Item]) -> dict[str, str]:
        return {item.name: item.checksum or self._identity(item) for item in items}

    def _identity(self, item: Item) -> str:
        """Return what changes when a file changes, of one from the web before and after it was fetched."""
        if item.url:
            return item.url
        was_made = self._locations.made(item.name) is not None
        return self._files.of_made(item.path) if was_made else self._files.of_input(item.path)


def _said(order: TaskOrder) -> str:
    """Return a command as it was written, or a function with its code and arguments."""
    call = order.template.call
    return order.command if call is None else f"{code_of(call.function)}{order.call!r}"
