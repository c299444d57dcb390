"""The axis that all hosts of a run share: what puts moments of one host's monotonic clock on UTC.

Method: a host whose clock was compared with another's follows that one. Of all that follow one another, the
UTC of the one in the middle is believed, so that a single host with a wrong clock misleads nobody. Between
two comparisons the clocks are taken to drift apart evenly; before the first and after the last as fast as
over all of them together, where these lie far enough apart to tell: there the stated error may be exceeded by
what that is wrong. A host that was never compared has its own first measured offset to UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

# No clock drifts faster than this against another; what says so is not believed.
_MOST_DRIFT = 1e-3
# Comparisons closer together than this do not tell how fast clocks drift apart.
_LEAST_SPAN_NS = 5_000_000_000
_ALL = 1 << 61


class Axis:
    """Adds to a moment of a monotonic clock what makes it UTC: ``moment + axis``, of numbers or arrays."""

    # so that arrays let us add, and do not try it themselves for each element
    __array_ufunc__ = None

    def __init__(self, moments: list[int], offsets: list[int]) -> None:
        """Take offsets at moments in order; there is at least one."""
        self._first, self._base = moments[0], offsets[0]
        ends = _with_ends(
            [float(moment - self._first) for moment in moments],
            [float(offset - self._base) for offset in offsets],
        )
        self._moments, self._offsets = np.array(ends[0]), np.array(ends[1])

    def shift(self, by_ns: int) -> None:
        """Move the whole axis."""
        self._base += by_ns

    @overload
    def __radd__(self, moment: int) -> int: ...
    @overload
    def __radd__(self, moment: NDArray[np.integer]) -> NDArray[np.int64]: ...
    def __radd__(self, moment: int | NDArray[np.integer]) -> int | NDArray[np.int64]:
        """Return the moment, or moments, on UTC."""
        if isinstance(moment, np.ndarray):
            whole = moment.astype(np.int64)
            return whole + self._base + np.rint(self._grown(whole - self._first)).astype(np.int64)
        return moment + self._base + round(float(self._grown(np.array(moment - self._first))))

    def _grown(self, since: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return by how much the offset has changed so long after the first moment."""
        grown: NDArray[np.float64] = np.interp(since.astype(np.float64), self._moments, self._offsets)
        return grown


def _with_ends(moments: list[float], offsets: list[float]) -> tuple[list[float], list[float]]:
    """Return the offsets with one long before and one long after, so that drift goes on as it was."""
    span = moments[-1] - moments[0]
    if len(moments) == 1:
        return moments, offsets
    drift = (offsets[-1] - offsets[0]) / span if span >= _LEAST_SPAN_NS else 0.0
    drift = drift if abs(drift) <= _MOST_DRIFT else 0.0
    before, after = [moments[0] - _ALL], [moments[-1] + _ALL]
    return (
        [*before, *moments, *after],
        [offsets[0] - drift * _ALL, *offsets, offsets[-1] + drift * _ALL],
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """At ``at`` by a host's clock, the clock of ``peer`` showed ``theirs``, within ``error``."""

    at: int
    peer: int
    theirs: int
    error: int


@dataclass(frozen=True, slots=True)
class Own:
    """A host's own offset to UTC, and when it was measured, by its monotonic clock."""

    at: int
    offset: int


class Alignment:
    """The axis of each host, and how wrong it may be; hosts are numbered from 1."""

    def __init__(self, own: dict[int, Own], compared: dict[int, list[Comparison]]) -> None:
        """Take each host's own offset to UTC, and its comparisons with others."""
        self._measured = {host: found.at for host, found in own.items()}
        self._own = {host: found.offset for host, found in own.items()}
        self._root: dict[int, int] = {}
        self._compared = {host: _believable(found) for host, found in compared.items()}
        self._axes: dict[int, Axis] = {}
        # How far a host may be off those it was compared with; None for one that never was.
        self.errors: dict[int, int | None] = {}
        for host in own:
            self._find(host, frozenset())
        self._believe_the_middle()
        followed = {one.peer for found in self._compared.values() for one in found}
        for host in followed & own.keys():
            if self.errors[host] is None:
                self.errors[host] = 0

    def _believe_the_middle(self) -> None:
        """Let all hosts that were compared follow the UTC of the one whose own is in the middle."""
        groups: dict[int, list[int]] = {}
        for host in self._own:
            groups.setdefault(self._root[host], []).append(host)
        for hosts in groups.values():
            late = sorted(self._own[host] - self._offset_at_begin(host) for host in hosts)
            for host in hosts:
                self._axes[host].shift(late[(len(late) - 1) // 2])

    def _offset_at_begin(self, host: int) -> int:
        at = self._measured[host]
        return at + self._axes[host] - at

    def axis(self, host: int) -> Axis:
        """Return the axis of a host."""
        return self._axes[host]

    def comparisons(self, host: int) -> list[tuple[int, int, int]]:
        """Return when a host was compared, its offset to UTC by that, and how wrong it may be."""
        return [
            (one.at, one.theirs + self._axes[one.peer] - one.at, one.error + (self.errors[one.peer] or 0))
            for one in self._compared.get(host, ())
            if one.peer in self._axes and self.errors[host] is not None
        ]

    def _find(self, host: int, asking: frozenset[int]) -> None:
        if host in self._axes:
            return
        usable = []
        for one in self._compared.get(host, ()):
            if one.peer in self._own and one.peer != host and one.peer not in asking:
                self._find(one.peer, asking | {host})
                if one.peer in self._axes:
                    usable.append(one)
        self._axes[host] = _axis(usable, self._axes) if usable else Axis([0], [self._own[host]])
        self._root[host] = self._root[usable[0].peer] if usable else host
        self.errors[host] = max((one.error + (self.errors[one.peer] or 0) for one in usable), default=None)


def _axis(compared: list[Comparison], axes: dict[int, Axis]) -> Axis:
    return Axis(
        [one.at for one in compared],
        [one.theirs + axes[one.peer] - one.at for one in compared],
    )


def _believable(found: list[Comparison]) -> list[Comparison]:
    """Return comparisons in order of time, without those that the ones before rule out."""
    kept: list[Comparison] = []
    for one in sorted(found, key=lambda one: one.at):
        if kept and one.peer == kept[-1].peer:
            passed, theirs = one.at - kept[-1].at, one.theirs - kept[-1].theirs
            slack = one.error + kept[-1].error + _MOST_DRIFT * max(passed, 0)
            if passed <= 0 or abs(theirs - passed) > slack:
                continue
        kept.append(one)
    return kept
