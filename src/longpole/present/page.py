"""A figure as a page: a title, what it says, axes of a given size, a legend and small print.

The axes are as high as asked for, and the page as high as all of it together takes. Texts are broken into
lines by how wide they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from longpole.model.text import one_line
from longpole.present.canvas import INK, QUIET, RESOLUTION, WIDTH, able_to_measure
from longpole.present.labels import measured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

# Inches.
_MARGIN, _RIGHT = 0.08, 0.14
_TITLE, _LINE, _SMALL, _ROW, _SPACE = 0.24, 0.16, 0.14, 0.19, 0.07
_SAID: dict[str, Any] = {"fontsize": 8, "color": INK}
_PRINT: dict[str, Any] = {"fontsize": 7, "color": "#666666"}
_MOST_COLUMNS = 5


class Page:
    """Lays out a page; to be called in the order of its methods."""

    def __init__(self, new_figure: type[Figure], *, title: str, said: str) -> None:
        """Begin a page with a title and what the figure says."""
        self.figure = able_to_measure(new_figure(figsize=(WIDTH, 4.0), dpi=RESOLUTION))
        self._title = _fitting(self.figure, title, fontsize=10, fontweight="bold")
        self._said = _lines(self.figure, said, **_SAID)

    def lay_out(
        self,
        *,
        high: float,
        left: float,
        below: float = 0.5,
        legend: Sequence[Any] = (),
        small: Sequence[str] = (),
    ) -> Axes:
        """Return axes over a legend and small print.

        Args:
            high: How high they are, in inches.
            left: How much room is at their left.
            below: How much room is right under them.
            legend: Handles.
            small: Texts in small print.
        """
        print_lines = [line for text in small for line in _lines(self.figure, text, **_PRINT)]
        columns = self._columns(legend)
        under = _SPACE + _SMALL * len(print_lines) + _SPACE
        rows = ceil(len(legend) / columns) * _ROW if legend else 0.0
        above = _MARGIN + _TITLE + _LINE * len(self._said) + _SPACE
        whole = under + rows + below + high + above
        self.figure.set_size_inches(WIDTH, whole)
        self._write_top(whole)
        for at, line in enumerate(print_lines):
            y = (under - _SPACE - _SMALL * at) / whole
            self.figure.text(_MARGIN / WIDTH, y, line, va="top", **_PRINT)
        if legend:
            self._draw_legend(legend, columns, under / whole)
        bottom = (under + rows + below) / whole
        return self.figure.add_axes((left / WIDTH, bottom, 1 - (left + _RIGHT) / WIDTH, high / whole))

    def _write_top(self, whole: float) -> None:
        x, top = _MARGIN / WIDTH, whole - _MARGIN
        self.figure.text(x, top / whole, self._title, va="top", fontsize=10, fontweight="bold")
        for at, line in enumerate(self._said):
            self.figure.text(x, (top - _TITLE - _LINE * at) / whole, line, va="top", **_SAID)

    def _draw_legend(self, handles: Sequence[Any], columns: int, bottom: float) -> Any:  # noqa: ANN401
        return self.figure.legend(
            handles=list(handles),
            loc="lower left",
            bbox_to_anchor=(0.0, bottom),
            ncols=columns,
            frameon=False,
            fontsize=7.5,
            handlelength=1.6,
            columnspacing=1.4,
            borderpad=0.1,
            labelspacing=0.35,
        )

    def _columns(self, handles: Sequence[Any]) -> int:
        """Return in how many columns a legend fits."""
        for columns in range(min(_MOST_COLUMNS, len(handles)), 1, -1):
            legend = self._draw_legend(handles, columns, 0.0)
            wide = legend.get_window_extent().width
            legend.remove()
            if wide <= _room(self.figure):
                return columns
        return 1


def quiet_axes(axes: Axes) -> None:
    """Make axes calm: no frame at the top and right, pale lines behind."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(color="#E5E5E5", lw=0.5)
    axes.tick_params(color=QUIET)


def _room(figure: Figure) -> float:
    return (WIDTH - 2 * _MARGIN) * float(figure.dpi)


def _lines(figure: Figure, text: str, **look: Any) -> list[str]:  # noqa: ANN401
    """Return a text in as few lines as fit the page, and those about as long as each other."""
    words = [(_fitting(figure, word, **look)) for word in one_line(text).split()]
    lines = _filled(figure, words, 1.0, **look)
    for share in (0.9, 0.8, 0.7, 0.6):
        shorter = _filled(figure, words, share, **look)
        if len(shorter) > len(lines):
            break
        lines = shorter
    return lines


def _filled(figure: Figure, words: list[str], share: float, **look: Any) -> list[str]:  # noqa: ANN401
    """Return words in lines that fit this share of the page's width."""
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measured(figure, longer, **look)[0] <= _room(figure) * share:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _fitting(figure: Figure, text: str, **look: Any) -> str:  # noqa: ANN401
    """Return a text on one line, cut where it does not fit the page."""
    text = one_line(text)
    if measured(figure, text, **look)[0] <= _room(figure):
        return text
    while text and measured(figure, f"{text}…", **look)[0] > _room(figure):
        text = text[: -max(1, len(text) // 20)]
    return f"{text}…"
