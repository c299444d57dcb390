"""Files of other systems, opened without trust."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from longpole.errors import UsageError
from longpole.exchange import opening
from longpole.exchange.opening import HEAD_BYTES, opened
from longpole.exchange.unreadable import UnreadableFileError


def test_a_packed_file_is_read_unpacked_whatever_its_name(tmp_path):
    file = tmp_path / "trace.json"
    file.write_bytes(gzip.compress(b"x" * (HEAD_BYTES + 5)))

    with opened([str(file)]) as [found]:
        assert found.head == b"x" * HEAD_BYTES
        assert len(found.read()) == HEAD_BYTES + 5
        assert found.path == str(file)


@pytest.mark.parametrize("cut", [3, 15, 40])
def test_a_packed_file_that_is_cut_off_is_one_sentence(tmp_path, cut):
    file = tmp_path / "cut.gz"
    file.write_bytes(gzip.compress(os.urandom(500))[:cut])

    with (
        pytest.raises(UnreadableFileError, match=r"cut\.gz is damaged or cut off"),
        opened([str(file)]) as [found],
    ):
        found.read()


def test_what_is_not_there_and_what_is_no_plain_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, said in (("absent", "No such file"), ("pipe", "no plain file"), (".", "no plain file")):
        with pytest.raises(UsageError, match=said), opened([str(tmp_path / name)]):
            pass


def test_standard_input_is_kept_so_that_it_can_be_read_twice(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"some text")))

    with opened(["-"]) as [found]:
        assert (found.read(), found.read(), found.name) == (b"some text", b"some text", "standard input")
        path = found.path
    assert not Path(path).exists()


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "_MOST_BYTES", 1000)
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(bytes(100_000)))

    with pytest.raises(UnreadableFileError, match="larger than"), opened([str(file)]) as [found]:
        found.read()
