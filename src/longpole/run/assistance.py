"""Which auxiliary jobs come when: create_dir first, two for each level that is over, cleanup last."""

from __future__ import annotations

from longpole.run.growth import Growth
from longpole.run.messages import Assist, Assisted, Auxiliary, Instruction


class Assistance:
    """The auxiliary jobs of one run."""

    def __init__(self, growth: Growth, out: list[Instruction]) -> None:
        """Take what tells of levels, and where instructions go."""
        self._growth, self._out = growth, out
        self._going: set[tuple[Auxiliary, int]] = set()
        self._cleaning = False

    def begin(self) -> None:
        """Ask for the folders."""
        self._ask(Auxiliary.CREATE_DIR, 0)

    def ended(self, event: Assisted) -> None:
        """Note that one has ended."""
        self._going.discard((event.kind, event.level))

    def end_levels(self) -> None:
        """Put away what levels have made that are over."""
        for level in self._growth.levels_over():
            self._end_level(level)

    def end(self, *, rest: bool) -> None:
        """Clean up, as soon as no other is going; before that put away the rest, if that is wanted."""
        if self._going or self._cleaning:
            return
        for level in self._growth.levels_left() if rest else ():
            self._end_level(level)
        if not self._going:
            self._cleaning = True
            self._ask(Auxiliary.CLEANUP, 0)

    def _end_level(self, level: int) -> None:
        self._ask(Auxiliary.STAGE_OUT, level)
        self._ask(Auxiliary.REGISTER, level)

    def _ask(self, kind: Auxiliary, level: int) -> None:
        self._going.add((kind, level))
        self._out.append(Assist(kind, level))
