"""Checksums: of files, of directories, and none."""

from __future__ import annotations

import os
from pathlib import Path

import xxhash
from hypothesis import given
from hypothesis import strategies as st

from longpole.run.staging.checksums import Checksums, of_file, of_tree, running_for, shown

ON, OFF = Checksums.ON, Checksums.OFF
_PARTS = st.dictionaries(
    st.text(min_size=1).filter(lambda text: "\0" not in text), st.text("0123456789abcdef")
)


def test_a_file_of_many_blocks_is_summed(tmp_path: Path) -> None:
    data = os.urandom(3_500_000)
    (tmp_path / "a").write_bytes(data)

    assert of_file(str(tmp_path / "a"), ON) == xxhash.xxh3_128_hexdigest(data)


def test_where_they_are_off_nothing_is_read() -> None:
    assert of_file("/there/is/none", OFF) == ""
    assert of_tree([("a", "x")], OFF) == ""


@given(st.lists(st.binary(max_size=50)))
def test_pieces_are_summed_as_a_whole(pieces: list[bytes]) -> None:
    running = running_for(ON)
    for piece in pieces:
        running.update(memoryview(piece))

    assert shown(running.digest()) == xxhash.xxh3_128_hexdigest(b"".join(pieces))


@given(_PARTS)
def test_the_order_of_a_directory_does_not_matter(parts: dict[str, str]) -> None:
    assert of_tree(parts.items(), ON) == of_tree(reversed(list(parts.items())), ON)


@given(_PARTS, _PARTS)
def test_directories_that_differ_have_other_checksums(one: dict[str, str], other: dict[str, str]) -> None:
    assert (of_tree(one.items(), ON) == of_tree(other.items(), ON)) == (one == other)
