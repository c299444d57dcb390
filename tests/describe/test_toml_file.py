"""TOML files that cannot be read: each gives one sentence, and none holds us up."""

from __future__ import annotations

import os

import pytest

from longpole.describe.toml_file import parse_toml, read_toml
from longpole.errors import UsageError


def sentence(path) -> str:
    with pytest.raises(UsageError) as caught:
        read_toml(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "gr\xc3\xb6\xc3\x9fe"\r\n')

    assert read_toml(path).text("name") == "größe"


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    assert sentence(tmp_path / "nosuch.toml").endswith("nosuch.toml: No such file or directory.")


def test_a_folder_is_said_to_be_one(tmp_path):
    assert sentence(tmp_path).endswith("it is a folder.")


def test_a_pipe_does_not_hold_us_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert sentence(tmp_path / "pipe").endswith("it is not a file.")


def test_text_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes(b'nodes = 1\nname = "gr\xf6\xdfe"\n')

    assert sentence(path).endswith("it is not UTF-8 text at line 2.")


def test_broken_toml_is_refused_with_its_line(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text('name = "a"\nnodes =\n')

    assert "is not TOML: Invalid value (at line 2, column 8)." in sentence(path)


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "huge.toml"
    path.write_bytes(b"#" * 1_000_001)

    assert "larger than 1 MB" in sentence(path)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "9" * 5000])
def test_toml_that_python_gives_up_on_is_refused(text):
    with pytest.raises(UsageError, match="is not TOML"):
        parse_toml(text, "x.toml")


def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(UsageError, match="Cannot read"):
        read_toml("a\0b.toml")  # type: ignore[arg-type]
