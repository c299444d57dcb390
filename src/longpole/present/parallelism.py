"""How many ran at once, over time: a small chart of blocks."""

from __future__ import annotations

from itertools import pairwise

from longpole.model.timeline import Level, Timeline

HEIGHT = 4
_LEVELS = " ▁▂▃▄▅▆▇█"
_ASCII = " ....####"


def chart_lines(timeline: Timeline, columns: int, *, blocks: bool) -> list[str]:
    """Return the lines of the chart from the top, as high as the most that ran at once."""
    marks = _LEVELS if blocks else _ASCII
    found = means(timeline.profile, timeline.length_s, columns)
    heights = [_height(mean, timeline.peak) for mean in found]
    return [
        "".join(marks[min(8, max(0, height - 8 * line))] for height in heights)
        for line in reversed(range(HEIGHT))
    ]


def means(profile: tuple[Level, ...], length_s: float, columns: int) -> list[float]:
    """Return how many ran at once on average during each of so many equal times.

    Examples:
        >>> means((Level(0.0, 2), Level(3.0, 1), Level(4.0, 0)), length_s=8.0, columns=4)
        [2.0, 1.5, 0.0, 0.0]
    """
    width = length_s / columns
    found = [0.0] * columns
    for level, after in pairwise([*profile, Level(length_s, 0)]):
        if not level.running:
            continue
        for column in range(int(level.at_s / width), min(columns, int(after.at_s / width) + 1)):
            start, end = max(level.at_s, column * width), min(after.at_s, (column + 1) * width)
            found[column] += level.running * max(0.0, end - start) / width
    return found


def _height(mean: float, peak: int) -> int:
    """Return how many eighths of a line are filled: one at least where anything ran."""
    return max(1, round(HEIGHT * 8 * min(1.0, mean / peak))) if mean > 0 and peak else 0
