"""What could not be seen, and what the numbers do not say: sentences under a heading."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from longpole.model.overview import Overview
from longpole.model.text import visible
from longpole.present.words import glued

_MOST_SENTENCES = 3


def remarks(overview: Overview, most_rows: int | None) -> Group:
    """Return both lists; without ``most_rows`` every sentence of them."""
    most = None if most_rows is None else _MOST_SENTENCES
    unseen = overview.unseen or ("Nothing that is known of.",)
    return Group(
        sentence_list("Not seen", unseen, most, "warning" if overview.unseen else "quiet"),
        sentence_list("Limits", overview.limits, most, "quiet"),
    )


def sentence_list(title: str, sentences: tuple[str, ...], most: int | None, style: str) -> Table:
    """Return sentences beside their title, at most so many of them; how many there are is said."""
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, min_width=10)
    grid.add_column(style=style)
    shown = list(sentences[:most])
    left = len(sentences) - len(shown)
    if left:
        shown.append(f"{len(shown)} of {len(sentences)} shown; --all tells the rest.")
    for at, sentence in enumerate(shown):
        grid.add_row(Text(f" {title}" if at == 0 else ""), Text(glued(visible(sentence))))
    return grid
