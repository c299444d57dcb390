"""A comparison in sentences: what is shown, what is not, and what would have been seen."""

from __future__ import annotations

from longpole.model.comparison import (
    Comparison,
    Difference,
    Gate,
    GatedGroup,
    GateState,
    GroupTimes,
    Metric,
    MetricComparison,
)
from longpole.model.text import one_line
from longpole.present.words import counted
from longpole.units import show_seconds

HEADS = {
    Metric.END_TO_END: "End to end",
    Metric.COMPUTE: "Compute",
    Metric.STAGE_IN: "Stage in",
    Metric.STAGE_OUT: "Stage out",
    Metric.CPU: "CPU time",
}
_WHERE = {
    Metric.END_TO_END: "end to end",
    Metric.COMPUTE: "of computing",
    Metric.STAGE_IN: "of staging in",
    Metric.STAGE_OUT: "of staging out",
    Metric.CPU: "of CPUs",
}
# A p below this is not told exactly: nobody needs it.
_LEAST_P = 0.0001


def sentences(comparison: Comparison) -> list[str]:
    """Return what the time that decides says of each group, then the other times, then the gate."""
    others = [one for one in comparison.metrics[1:] if any(each.can_be_shown for each in one.differences)]
    said = [*verdicts(comparison.deciding), *(parts(one) for one in others)]
    return said + ([gate_sentence(comparison.gate, comparison.deciding)] if comparison.gate else [])


def verdicts(compared: MetricComparison) -> list[str]:
    """Return what a time says of each group; where there are too few runs, that is said once."""
    if not compared.differences:
        return [f"There is one group, {_quoted(compared.groups[0].group)}: nothing to compare it with."]
    able = [verdict(compared, one) for one in compared.differences if one.can_be_shown]
    unable = [one for one in compared.differences if not one.can_be_shown]
    return able + ([_too_few(compared, unable)] if unable else [])


def verdict(compared: MetricComparison, one: Difference) -> str:
    """Return what is shown of one group and one time."""
    base, mine = compared.groups[0], _times(compared, one.group)
    names, where = _names(base, mine), _WHERE[compared.metric]
    if one.shown and one.ratio is None:
        means = f"{show_seconds(mine.mean_s)} against {show_seconds(base.mean_s)}"
        return (
            f"{names[1]} and {names[0]} differ in their time {where}: {means} ({p_words(one.p_corrected)})."
        )
    if one.shown:
        how_sure = f"{_between(one)}, {p_words(one.p_corrected)}"
        took = change(one.ratio)
        link = "as" if took.endswith("as much") else "than"
        return f"{names[1]} takes {took} time {where} {link} {names[0]} ({how_sure})."
    between = f": it is {_between(one)}" if one.low is not None else ""
    return f"No difference is shown between {names[1]} and {names[0]} {where}{between}.{_seen(one)}"


def parts(compared: MetricComparison) -> str:
    """Return in which groups a time differs that does not decide."""
    shown = [f"{_quoted(one.group)} {_amount(compared, one)}" for one in compared.differences if one.shown]
    head = HEADS[compared.metric]
    if not shown:
        return f"{head}: no difference shown."
    others = len(compared.differences) - len(shown)
    rest = f"; no difference shown for {counted(others, 'other')}" if others else ""
    return f"{head}: {', '.join(shown)}{rest}."


def gate_sentence(gate: Gate, compared: MetricComparison) -> str:
    """Return what a gate says, and what to do if it cannot tell."""
    allowed = f"{100 * gate.allowed:g} %"
    if gate.state is GateState.OPEN:
        base = _quoted(compared.groups[0].group)
        return f"The gate is open: no group is slower than {base} by more than {allowed}."
    if gate.state is GateState.CLOSED:
        slow = [one.group for one in gate.groups if one.state is GateState.CLOSED]
        return f"The gate is closed: {_and(slow)} slower by more than {allowed}."
    unknown = [one for one in gate.groups if one.state is GateState.UNKNOWN]
    if not unknown:
        return "The gate cannot tell: there is nothing to compare."
    slower = f"{_and([one.group for one in unknown])} slower by more than {allowed}"
    return f"The gate cannot tell whether {slower}{_needed(unknown)}."


def change(ratio: float | None) -> str:
    """Return a ratio as what it takes more or less.

    Examples:
        >>> change(0.838), change(1.1), change(3.0), change(1.0)
        ('16.2 % less', '10.0 % more', '3.0 times as much', 'as much')
    """
    if ratio is None:
        return "another"
    if ratio >= 2:
        return f"{ratio:.1f} times as much"
    percent = 100 * (ratio - 1)
    if abs(percent) < 0.05:
        return "as much"
    return f"{abs(percent):.1f} % {'more' if percent > 0 else 'less'}"


def signed(ratio: float | None) -> str:
    """Return a ratio as a change in percent, as tables have it.

    Examples:
        >>> signed(0.838), signed(1.1), signed(None), signed(25.0)
        ('-16.2 %', '+10.0 %', '', 'x 25')
    """
    if ratio is None:
        return ""
    return f"x {ratio:.3g}" if ratio >= 10 else f"{_percent(ratio)} %"


def interval(one: Difference) -> str:
    """Return the interval of a ratio, as tables have it.

    Examples:
        >>> interval(
        ...     Difference("b", 1.1, 1.05, 1.2, p=0.0, p_corrected=0.0, least_p=0, needed_p=1, shown=True)
        ... )
        '+5.0 to +20.0 %'
    """
    if one.low is None or one.high is None:
        return ""
    if max(one.low, one.high) >= 10:
        return f"x {one.low:.3g} to {one.high:.3g}"
    return f"{_percent(one.low)} to {_percent(one.high)} %"


def _percent(ratio: float) -> str:
    """Return a change with its sign; what rounds to nothing has none."""
    text = f"{100 * (ratio - 1):+.1f}"
    return text[1:] if float(text) == 0 else text


def p_words(p: float) -> str:
    """Return a p as it is said.

    Examples:
        >>> p_words(0.00001), p_words(0.00123), p_words(0.5)
        ('p < 0.0001', 'p = 0.0012', 'p = 0.50')
    """
    if p < _LEAST_P:
        return f"p < {_LEAST_P}"
    return f"p = {p:.2g}" if p < 0.095 else f"p = {p:.2f}"


def _names(base: GroupTimes, mine: GroupTimes) -> tuple[str, str]:
    return _quoted(base.group), _quoted(mine.group)


def _quoted(name: str) -> str:
    return f"'{one_line(name)}'"


def _times(compared: MetricComparison, group: str) -> GroupTimes:
    return next(times for times in compared.groups if times.group == group)


def _between(one: Difference) -> str:
    """Return the interval of a ratio in words."""
    assert one.low is not None
    assert one.high is not None
    if max(one.low, one.high) >= 2:
        return f"{one.low:.2f} to {one.high:.2f} times"
    low, high = 100 * (one.low - 1), 100 * (one.high - 1)
    if low * high > 0:
        near, far = sorted((abs(low), abs(high)))
        return f"{near:.1f} to {far:.1f} % {'more' if low > 0 else 'less'}"
    return f"between {abs(low):.1f} % less and {abs(high):.1f} % more"


def _seen(one: Difference) -> str:
    if one.seen is None:
        return ""
    return f" One of more than {100 * (one.seen - 1):.1f} % would have been seen with 90 % probability."


def _too_few(compared: MetricComparison, unable: list[Difference]) -> str:
    sizes = {times.group: times.n for times in compared.groups}
    worst = max(unable, key=lambda one: one.least_p)
    base = compared.groups[0]
    of_whom = f"Of {', '.join(_quoted(one.group) for one in unable)} and {_quoted(base.group)} nothing"
    what = "Nothing" if len(unable) == len(compared.differences) else of_whom
    return (
        f"{what} can be shown: {base.n} and {counted(sizes[worst.group], 'run')} give no p below "
        f"{worst.least_p:.2g}, and {worst.needed_p:.2g} is needed. Make at least {_enough(worst.needed_p)} "
        "of each."
    )


def _enough(needed_p: float) -> int:
    """Return how many runs of each of two groups can give such a p."""
    n, least = 1, 1.0
    while least > needed_p:
        n += 1
        least *= n / (2 * (2 * n - 1))  # 2 / binomial(2 n, n)
    return n


def _amount(compared: MetricComparison, one: Difference) -> str:
    if one.ratio is not None:
        return change(one.ratio)
    mine = _times(compared, one.group)
    return f"{show_seconds(mine.mean_s)} instead of {show_seconds(compared.groups[0].mean_s)}"


def _and(groups: list[str]) -> str:
    names = [_quoted(group) for group in groups]
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"


def _needed(unknown: list[GatedGroup]) -> str:
    known = [one.runs_needed for one in unknown if one.runs_needed is not None]
    if len(known) < len(unknown):
        return ""
    return f"; about {max(known)} runs of each group would"
