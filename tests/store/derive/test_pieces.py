"""Pieces of tables: they come back as they were, and what is none is refused."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.columns import Columns, floats, integers, texts
from longpole.store.derive.pieces import PIECE_ROWS, PieceError, pieces_of, read_piece

WHOLE = st.none() | st.integers(-(1 << 62), 1 << 62)


@given(st.lists(st.tuples(WHOLE, st.none() | st.text(max_size=5)), max_size=40))
def test_rows_come_back_as_they_were(rows: list[tuple[int | None, str | None]]) -> None:
    table = Columns(
        {"id": integers([number for number, _ in rows]), "name": texts([text for _, text in rows])}
    )

    found: list[tuple[int | None, str | None]] = []
    for piece in pieces_of("tasks", table):
        name, columns = read_piece(piece)
        assert name == "tasks"
        found += zip(columns["id"].tolist(), columns["name"].tolist(), strict=True)

    assert found == rows


def test_many_rows_are_several_pieces() -> None:
    pieces = list(pieces_of("totals", Columns({"value": floats([0.5] * (PIECE_ROWS + 1))})))

    assert [len(read_piece(piece)[1]["value"]) for piece in pieces] == [PIECE_ROWS, 1]


def _packed(**changes: object) -> bytes:
    sound = {
        "table": "tasks",
        "rows": 1,
        "numbers": {"name": bytes(8)},
        "words": {"name": ["a"]},
        "unknown": {},
    }
    return msgspec.msgpack.encode({**sound, **changes})


def test_what_is_sound_is_read() -> None:
    assert read_piece(_packed())[1]["name"].tolist() == ["a"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        _packed(table="nothing"),
        _packed(numbers={"unknown": bytes(8)}),
        _packed(numbers={"name": bytes(7)}),
        _packed(numbers={"name": bytes(16)}),
        _packed(numbers={"name": b"\x01" + bytes(7)}),
        _packed(numbers={"name": b"\xff" * 8}),
        _packed(words={}),
        _packed(unknown={"name": b""}),
        _packed(rows=-1),
    ],
)
def test_what_is_no_piece_is_refused(data: bytes) -> None:
    with pytest.raises(PieceError):
        read_piece(data)


def test_long_words_make_smaller_pieces_and_none_is_without_end() -> None:
    names = [f"{number:04}" + "x" * 4000 for number in range(1000)] + ["y" * 10_000_000]

    pieces = list(pieces_of("tasks", Columns({"name": texts(names)})))

    assert max(map(len, pieces)) < 2 << 20
    found = [name for piece in pieces for name in read_piece(piece)[1]["name"]]
    assert found[:1000] == names[:1000]
    assert names[1000].startswith(found[1000])


def test_half_of_a_character_does_not_stop_the_rest() -> None:
    [piece] = pieces_of("tasks", Columns({"name": texts(["\ud800x", "größe"])}))

    assert list(read_piece(piece)[1]["name"]) == ["?x", "größe"]
