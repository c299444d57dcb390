"""How often to sample, so that recording keeps within its share of one core on any machine.

Method: every second the agent's own CPU time over that second is compared with the share. Above it, the
interval between samples of processes grows by as much as it is above, at most twofold; well below it, it
shrinks again by little, never under what was asked for. A rate that the user has chosen is kept.
"""

from __future__ import annotations

# 0.2 per cent of one core: what hooks take comes on top, and together they stay well below one per cent.
SHARE = 0.002
_LONGEST_S = 1.0
_MOST_GROWTH, _SHRINK = 2.0, 0.9
_WELL_BELOW = 0.7


class Pace:
    """The interval between two samples of the processes."""

    def __init__(self, asked_s: float, *, fixed: bool) -> None:
        """Begin with the interval asked for; a fixed one is never changed."""
        self._asked_s = asked_s
        self._fixed = fixed
        self.interval_s = asked_s

    def adjust(self, cpu_share: float) -> float:
        """Take what the last second cost, as a share of one core; return the interval from now on.

        Examples:
            >>> pace = Pace(0.1, fixed=False)
            >>> pace.adjust(0.02), pace.adjust(0.001)
            (0.2, 0.18000000000000002)
        """
        if not self._fixed:
            if cpu_share > SHARE:
                growth = min(cpu_share / SHARE, _MOST_GROWTH)
                self.interval_s = min(self.interval_s * growth, max(_LONGEST_S, self._asked_s))
            elif cpu_share < SHARE * _WELL_BELOW:
                self.interval_s = max(self.interval_s * _SHRINK, self._asked_s)
        return self.interval_s
