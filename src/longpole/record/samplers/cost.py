"""What recording itself costs: CPU time of the agent and the launcher, every few seconds.

Kept so that a run that is still going, or whose launcher was killed, can state it; the exact figure at the
end comes from the launcher.
"""

from __future__ import annotations

import resource
from time import monotonic_ns

from longpole.log.slots import COST, COST_LAYOUT
from longpole.record.proc import read_stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal


class CostSampler:
    """Notes the CPU time of the recorder."""

    name = "cost"
    period_s = 5.0

    def __init__(
        self, journal: Journal, launcher: int, began_ns: int, told_us: tuple[int, int] = (0, 0)
    ) -> None:
        """Sum this process and the launcher since ``began_ns``, but for what earlier logs have told."""
        self._journal = journal
        self._launcher = launcher
        self._began_ns = began_ns
        self._told_us = told_us

    def sample(self, now_ns: int) -> None:
        """Write the sum so far."""
        own = used_us()
        launcher = read_stat(self._launcher)
        user = own[0] - self._told_us[0] + (launcher.cpu_user_us if launcher else 0)
        system = own[1] - self._told_us[1] + (launcher.cpu_system_us if launcher else 0)
        fields = (self._launcher, self._began_ns, now_ns, user, system, 0, 0, 0)
        self._journal.slot(COST_LAYOUT.pack(COST, 0, 0, *fields))

    def finish(self) -> None:
        """Write the last sum."""
        self.sample(monotonic_ns())


def used_us() -> tuple[int, int]:
    """Return the CPU time of this process, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(usage.ru_utime * 1e6), round(usage.ru_stime * 1e6)
