"""A table of results as data: columns with quantities, rows with means and deviations, and what is missing.

How it looks is another layer's matter: the same table is written as text, Markdown, LaTeX, CSV and JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Like(StrEnum):
    """Which table of Krawczuk et al. 2021 a table is like; plain: none of them."""

    PLAIN = "plain"
    I = "I"  # noqa: E741  the paper's own number
    II = "II"
    III = "III"
    IV = "IV"


class Quantity(StrEnum):
    """What a column holds; values are in the unit that is the value here, texts and counts in none."""

    TEXT = ""
    COUNT = "count"
    SECONDS = "s"
    HOURS = "h"
    BYTES = "bytes"
    PERCENT = "%"


class Scale(StrEnum):
    """In which unit people read a column; free: each number in the one that suits it."""

    FREE = ""
    SECONDS = "s"
    MEGABYTES = "MB"
    GIGABYTES = "GB"


UNITS = {Scale.FREE: 1.0, Scale.SECONDS: 1.0, Scale.MEGABYTES: 1e6, Scale.GIGABYTES: 1e9}


@dataclass(frozen=True, slots=True)
class Heading:
    """A column.

    Attributes:
        name: What programs call it.
        title: What stands above it, without its unit.
        quantity: What it holds.
        scale: In which unit people read it.
    """

    name: str
    title: str
    quantity: Quantity
    scale: Scale = Scale.FREE


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell: a number or a text, None if it is not known; and its standard deviation over repeats."""

    value: float | str | None = None
    sd: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row; rows of one section follow each other."""

    section: str
    name: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a figure of some columns is missing in some rows."""

    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table.

    Attributes:
        like: Which of the paper's it is like.
        title: What it shows.
        of: What a row is: run, job, program.
        runs: Ids of the runs that it is made of.
        headings: Its columns, besides the one of names.
        rows: Its rows.
        gaps: Why figures are missing, once for each reason.
        notes: What else must be said, as sentences.
    """

    like: Like
    title: str
    of: str
    runs: tuple[str, ...]
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
