"""What can be asked of a figure that is drawn: where its texts are, and which are in each other's way."""

from __future__ import annotations

from itertools import combinations

from longpole.present.canvas import drawing
from longpole.present.labels import outline


def drawn(draw, roofline):
    """Return a figure, drawn by one of our functions."""
    with drawing() as new_figure:
        figure = draw(roofline, new_figure)
        figure.canvas.draw()
        return figure


def texts(figure):
    """Return all texts of a figure that can be seen."""
    from matplotlib.text import Text

    return [one for one in figure.findobj(Text) if one.get_visible() and one.get_text().strip()]


def in_the_way(figure):
    """Return pairs of texts that lie on each other, and texts that lie beyond the edge."""
    with drawing():
        shapes = [(one.get_text(), outline(one)) for one in texts(figure)]
    wide, high = figure.bbox.width, figure.bbox.height
    pairs = [(a, b) for (a, one), (b, other) in combinations(shapes, 2) if one.touches(other)]
    beyond = [text for text, shape in shapes if not shape.inside(0, 0, wide, high)]
    return pairs, beyond
