"""Pieces of tables as bytes: rows that another system tells, on their way through the log.

A piece is MessagePack: the table, how many rows, and by column the numbers as little-endian 64-bit values;
of text the distinct words, and which word each row has. Reading one checks all of that: a log may come from a
stranger, and a piece that does not hold what it must is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole.model.columns import Column, Columns
from longpole.model.execution import TABLES, Type
from longpole.store.derive.arrays import Arrays, Marks, hidden, texts

# So many rows are what one flipped bit can cost.
PIECE_ROWS = 1024
# What a log takes at once is a few times as much.
_PIECE_BYTES = 1 << 20
_WORD_LETTERS = 1 << 18
_NUMBERS = {Type.INTEGER: "<i8", Type.FLOAT: "<f8"}


class _Piece(msgspec.Struct, frozen=True):
    """Rows of one table; marks in ``unknown`` are one byte a row."""

    table: str
    rows: int
    numbers: dict[str, bytes]
    words: dict[str, list[str]]
    unknown: dict[str, bytes]


_DECODER = msgspec.msgpack.Decoder(_Piece)


class PieceError(ValueError):
    """Bytes that are no piece of a table."""


def pieces_of(table: str, rows: Columns) -> Iterator[bytes]:
    """Yield the rows of a table in pieces."""
    for start in range(0, rows.rows, PIECE_ROWS):
        yield from _fitting(table, rows, start, min(start + PIECE_ROWS, rows.rows))


def read_piece(data: bytes) -> tuple[str, Arrays]:
    """Return the table that a piece is of, and its columns.

    Raises:
        PieceError: It is none.
    """
    try:
        piece = _DECODER.decode(data)
        types = {field.name: field.type for field in TABLES[piece.table].fields}
        unknown = {name: _marks(marks, piece.rows) for name, marks in piece.unknown.items()}
        columns = {name: _column(name, types[name], piece) for name in piece.numbers}
    except (msgspec.MsgspecError, KeyError, ValueError, IndexError, RecursionError) as error:
        raise PieceError(str(error)) from error
    return piece.table, {
        name: _without(values, unknown[name]) if name in unknown else values
        for name, values in columns.items()
    }


def _fitting(table: str, rows: Columns, start: int, stop: int) -> Iterator[bytes]:
    """Yield rows as one piece or, where their words are long, as several."""
    piece = msgspec.msgpack.encode(_piece(table, rows, start, stop))
    if len(piece) <= _PIECE_BYTES or stop - start == 1:
        yield piece
        return
    middle = (start + stop) // 2
    yield from _fitting(table, rows, start, middle)
    yield from _fitting(table, rows, middle, stop)


def _piece(table: str, rows: Columns, start: int, stop: int) -> _Piece:
    types = {field.name: field.type for field in TABLES[table].fields}
    numbers, words, unknown = {}, {}, {}
    for name, column in rows.items():
        values = np.asarray(column.values)[start:stop]
        if types[name] is Type.TEXT:
            used, values = np.unique(values, return_inverse=True)
            words[name] = [_word(column, int(place)) for place in used]
        numbers[name] = values.astype(_NUMBERS.get(types[name], "<i8")).tobytes()
        if column.known is not None:
            unknown[name] = (np.asarray(column.known)[start:stop] == 0).astype(np.uint8).tobytes()
    return _Piece(table, stop - start, numbers, words, unknown)


def _word(column: Column, place: int) -> str:
    """Return a word as it can be written: of a length, and without halves of characters."""
    word = column.words[place][:_WORD_LETTERS] if column.words else ""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")


def _column(name: str, kind: Type, piece: _Piece) -> NDArray[Any]:
    values = np.frombuffer(piece.numbers[name], _NUMBERS.get(kind, "<i8"))
    if len(values) != piece.rows:
        raise PieceError(f"column {name} has {len(values)} rows of {piece.rows}")
    if kind is not Type.TEXT:
        return values.astype(values.dtype.newbyteorder("="))
    words = texts(list(piece.words[name]))
    if len(values) and not (values.min() >= 0 and values.max() < len(words)):
        raise PieceError(f"column {name} has words that are not there")
    found: NDArray[Any] = words[values]
    return found


def _marks(marks: bytes, rows: int) -> Marks:
    if len(marks) != rows:
        raise PieceError(f"{len(marks)} marks for {rows} rows")
    return np.frombuffer(marks, np.bool_)


def _without(values: NDArray[Any], unknown: Marks) -> NDArray[Any]:
    if values.dtype == object:
        kept = values.copy()
        kept[unknown] = None
        return kept
    return hidden(values, unknown)
