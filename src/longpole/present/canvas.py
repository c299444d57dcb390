"""What figures share: all there is of matplotlib, the forms they are written in, our settings and colours.

Colours are those of Okabe and Ito, which people of all kinds of sight tell apart. Same data gives the same
bytes, with the same matplotlib: no date, no random ids, and no settings of the user's.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from longpole.errors import MissingLibraryError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414  handed on
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414  handed on
    from matplotlib.text import Text as Text  # noqa: PLC0414  handed on

FORMATS = ("svg", "pdf", "png")
BLUE, GREEN, PINK, DEEP_BLUE, ORANGE, YELLOW = (
    "#56B4E9",
    "#009E73",
    "#CC79A7",
    "#0072B2",
    "#E69F00",
    "#F0E442",
)
PALETTE = (BLUE, GREEN, PINK, DEEP_BLUE, ORANGE, YELLOW)
ACCENT, INK, QUIET, PALE = "#D55E00", "#333333", "#999999", "#DDDDDD"
# Inches: as wide as the text of a page.
WIDTH = 7.2
# Dots per inch, of what is measured in pixels and of PNG.
RESOLUTION = 200
# What would differ from one writing to the next.
_UNDATED: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "longpole",
    "text.parse_math": False,
    # Texts are then as wide at any resolution as they were measured at one.
    "text.hinting": "no_hinting",
}


def form_of(path: Path) -> str:
    """Return the form that the suffix of a figure's file asks for.

    Raises:
        UsageError: Another suffix.
    """
    form = path.suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise UsageError(f"Cannot draw '{path}': its name must end in .svg, .pdf or .png.")
    return form


@contextmanager
def drawing() -> Iterator[type[Figure]]:
    """Give what makes a figure without a window, under our settings and nobody else's.

    Raises:
        MissingLibraryError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingLibraryError("matplotlib", "figures") from error
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield Figure


def able_to_measure(figure: Figure) -> Figure:
    """Return a figure that can tell how large its texts will be, before it is written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    return figure


def patch(**look: Any) -> Any:  # noqa: ANN401
    """Return a filled box for a legend."""
    from matplotlib.patches import Patch

    return Patch(**look)


def line(**look: Any) -> Any:  # noqa: ANN401
    """Return a line or a marker for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **look)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the form that its suffix says. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, or the file cannot be written.
    """
    form, whole = form_of(path), BytesIO()
    figure.savefig(whole, format=form, dpi=RESOLUTION, metadata=_UNDATED[form])
    _replace(path, whole.getvalue())


def _replace(path: Path, whole: bytes) -> None:
    """Write a file beside its place, and put it there when it is whole."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        scratch.write_bytes(whole)
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise UsageError(f"Cannot write {path}: {error.strerror or error}.") from error
