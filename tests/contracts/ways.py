"""What every way of moving files must do; a test class of an adapter inherits all of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import xxhash

from longpole.model.ports import Way
from longpole.model.staging import Item, StagingError
from longpole.run.staging.checksums import Checksums

ODD_NAMES = (
    "two words.txt",
    'it\'s "quoted" `here`.txt',
    "größe/日本語 №1.txt",
    "-dash.txt",
    "100%25 #1 ?a=b&c+d;e.txt",
    ".hidden",
    "deep/er/and/deeper/still.txt",
    "$HOME/*.txt",
    "back\\slash.txt",
)
LARGE = bytes(range(256)) * 12_000


class WayContract:
    """The promises of ``model.ports.Way``."""

    def make(self, kept: Path, checksums: Checksums) -> AbstractContextManager[Way]:
        """Return a way that moves to and from a folder where a run keeps files; adapters say how."""
        raise NotImplementedError

    @pytest.fixture
    def kept(self, tmp_path: Path) -> Path:
        (tmp_path / "kept").mkdir()
        return tmp_path / "kept"

    @pytest.fixture
    def job(self, tmp_path: Path) -> Path:
        (tmp_path / "job").mkdir()
        return tmp_path / "job"

    @pytest.fixture
    def way(self, kept: Path) -> Iterator[Way]:
        with self.make(kept, Checksums.ON) as way:
            yield way

    def test_it_has_a_name(self, way: Way) -> None:
        assert way.name

    def test_files_arrive_under_their_names(self, way: Way, kept: Path, job: Path) -> None:
        contents = {name: f"of {name}".encode() for name in ODD_NAMES}
        items = [_keep(kept, f"in/{name}", data, name=name) for name, data in contents.items()]

        moved = way.bring(items, str(job))

        assert {name: (job / name).read_bytes() for name in ODD_NAMES} == contents
        assert moved.sizes == {name: len(data) for name, data in contents.items()}
        assert _hidden(job) == []

    def test_large_and_empty_files_arrive(self, way: Way, kept: Path, job: Path) -> None:
        items = [_keep(kept, "large", LARGE), _keep(kept, "empty", b""), _keep(kept, "small", b"x")]

        moved = way.bring(items, str(job))

        assert (job / "large").read_bytes() == LARGE
        assert (job / "empty").read_bytes() == b""
        assert moved.sizes == {"large": len(LARGE), "empty": 0, "small": 1}

    def test_a_directory_arrives_with_all_that_is_in_it(self, way: Way, kept: Path, job: Path) -> None:
        contents = _tree(kept / "data")

        moved = way.bring([Item("in/data/", f"{kept}/data/")], str(job))

        assert _contents(job / "in/data") == contents
        assert (job / "in/data/empty").is_dir()
        assert moved.sizes == {"in/data/": sum(map(len, contents.values()))}

    def test_an_empty_directory_arrives(self, way: Way, kept: Path, job: Path) -> None:
        (kept / "none").mkdir()

        moved = way.bring([Item("none/", f"{kept}/none/")], str(job))

        assert list((job / "none").iterdir()) == []
        assert moved.sizes == {"none/": 0}

    def test_one_file_may_arrive_under_two_names(self, way: Way, kept: Path, job: Path) -> None:
        one = _keep(kept, "one", b"content")

        way.bring([Item("first", one.path), Item("b/second", one.path)], str(job))

        assert (job / "first").read_bytes() == (job / "b/second").read_bytes() == b"content"

    def test_programs_stay_executable(self, way: Way, kept: Path, job: Path) -> None:
        item = _keep(kept, "tool.sh", b"#!/bin/sh\n")
        os.chmod(item.path, 0o755)

        way.bring([item], str(job))
        assert os.access(job / "tool.sh", os.X_OK)

        way.send([Item("tool.sh", f"{kept}/out/tool.sh")], str(job))
        assert (kept / "out/tool.sh").stat().st_mode & 0o777 == 0o755

    def test_nothing_to_move_is_no_movement(self, way: Way, job: Path) -> None:
        assert way.bring([], str(job)).transfers == ()
        assert way.send([], str(job)).transfers == ()
        assert list(job.iterdir()) == []

    def test_what_was_there_is_replaced(self, way: Way, kept: Path, job: Path) -> None:
        (job / "a.txt").write_text("old")

        way.bring([_keep(kept, "a.txt", b"new")], str(job))
        way.bring([_keep(kept, "a.txt", b"newer")], str(job))

        assert (job / "a.txt").read_text() == "newer"

    def test_a_missing_file_is_named_with_its_path(self, way: Way, kept: Path, job: Path) -> None:
        items = [_keep(kept, "here", b"x"), Item("in/gone.txt", f"{kept}/lost.txt")]

        with pytest.raises(StagingError) as raised:
            way.bring(items, str(job))

        assert "in/gone.txt" in str(raised.value)
        assert f"{kept}/lost.txt" in str(raised.value)
        assert not raised.value.full
        assert _hidden(job) == []

    @pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out", "", ".", "a//b"])
    def test_no_name_leaves_the_folder(self, way: Way, kept: Path, job: Path, name: str) -> None:
        item = _keep(kept, "a", b"x", name=name)

        with pytest.raises(StagingError, match="within the job's folder"):
            way.bring([item], str(job))
        with pytest.raises(StagingError, match="within the job's folder"):
            way.send([item], str(job))

    def test_a_directory_is_no_file(self, way: Way, kept: Path, job: Path) -> None:
        _tree(kept / "data")
        file = _keep(kept, "file", b"x")

        with pytest.raises(StagingError, match="data"):
            way.bring([Item("data", f"{kept}/data")], str(job))
        with pytest.raises(StagingError, match="file/"):
            way.bring([Item("file/", file.path)], str(job))

    def test_outputs_are_kept_with_sizes_and_checksums(self, way: Way, kept: Path, job: Path) -> None:
        contents = {**{name: f"of {name}".encode() for name in ODD_NAMES}, "large": LARGE, "empty": b""}
        items = [_make(job, name, data, f"{kept}/out/{name}") for name, data in contents.items()]

        moved = way.send(items, str(job))

        assert _contents(kept / "out") == contents
        assert moved.sizes == {name: len(data) for name, data in contents.items()}
        assert moved.checksums == {name: xxhash.xxh3_128_hexdigest(data) for name, data in contents.items()}
        assert _hidden(kept) == []

    def test_a_directory_is_kept_and_comes_back_with_the_same_checksum(
        self, way: Way, kept: Path, job: Path
    ) -> None:
        contents = _tree(job / "made")
        (kept / "out/made").mkdir(parents=True)
        (kept / "out/made/old").write_text("of an earlier attempt")

        sent = way.send([Item("made/", f"{kept}/out/made/")], str(job))
        back = way.bring([Item("back/", f"{kept}/out/made/", checksum=sent.checksums["made/"])], str(job))

        assert _contents(kept / "out/made") == _contents(job / "back") == contents
        assert (kept / "out/made/empty").is_dir()
        assert sent.sizes == {"made/": sum(map(len, contents.values()))} == {"made/": back.sizes["back/"]}
        assert sent.checksums["made/"] == TREE_CHECKSUM
        assert back.again == 0
        assert _hidden(kept) == []

    def test_a_kept_file_is_replaced(self, way: Way, kept: Path, job: Path) -> None:
        _keep(kept, "a", b"old")

        way.send([_make(job, "a", b"new", f"{kept}/a")], str(job))

        assert (kept / "a").read_bytes() == b"new"

    def test_links_that_a_job_made_are_kept_as_what_they_mean(self, way: Way, kept: Path, job: Path) -> None:
        (job / "real").write_text("content")
        (job / "link").symlink_to("real")
        (job / "d").mkdir()
        (job / "d/link").symlink_to(job / "real")

        moved = way.send([Item("link", f"{kept}/link"), Item("d/", f"{kept}/d/")], str(job))

        assert not (kept / "link").is_symlink()
        assert not (kept / "d/link").is_symlink()
        assert (kept / "link").read_text() == (kept / "d/link").read_text() == "content"
        assert moved.sizes == {"link": 7, "d/": 7}

    def test_an_output_that_was_not_made_keeps_all_from_moving(self, way: Way, kept: Path, job: Path) -> None:
        items = [_make(job, "a", b"x", f"{kept}/a"), Item("b c.txt", f"{kept}/b"), Item("d/", f"{kept}/d/")]

        with pytest.raises(StagingError, match=r"'b c\.txt', 'd/'") as raised:
            way.send(items, str(job))

        assert str(job) in str(raised.value)
        assert list(kept.iterdir()) == []

    def test_movements_have_times_and_count_what_they_moved(self, way: Way, kept: Path, job: Path) -> None:
        before = time.monotonic_ns()
        small = [_make(job, f"d/{number}", b"12345", f"{kept}/{number}") for number in range(20)]

        moved = way.send([*small, _make(job, "large", LARGE, f"{kept}/large")], str(job))

        after = time.monotonic_ns()
        assert all(before <= one.start_ns <= one.end_ns <= after for one in moved.transfers)
        assert sum(one.files for one in moved.transfers) == 21
        assert sum(one.moved_bytes for one in moved.transfers) == 100 + len(LARGE)
        assert len(moved.transfers) <= 2
        assert moved.again == 0

    def test_checksums_can_be_off(self, kept: Path, job: Path) -> None:
        with self.make(kept, Checksums.OFF) as way:
            brought = way.bring([_keep(kept, "a", b"abc"), _keep(kept, "large", LARGE)], str(job))
            _make(job, "b", b"abcd", "")
            _make(job, "large b", LARGE, "")
            _tree(job / "d")
            outputs = [Item(name, f"{kept}/out/{name}") for name in ("b", "large b", "d/")]
            sent = way.send(outputs, str(job))

        assert brought.checksums == sent.checksums == {}
        assert (kept / "out/b").read_bytes() == b"abcd"
        assert (job / "large").read_bytes() == (kept / "out/large b").read_bytes() == LARGE

    def test_it_can_be_used_again_and_again(self, way: Way, kept: Path, job: Path) -> None:
        for turn in range(3):
            way.bring([_keep(kept, "in", str(turn).encode())], str(job))
            way.send([_make(job, "out", str(turn).encode(), f"{kept}/out")], str(job))
            assert (job / "in").read_bytes() == (kept / "out").read_bytes() == str(turn).encode()


class CopyContract(WayContract):
    """What a way must do besides, if bytes cross."""

    def test_what_arrives_has_its_checksum(self, way: Way, kept: Path, job: Path) -> None:
        items = [_keep(kept, "small", b"abc"), _keep(kept, "large", LARGE)]

        moved = way.bring(items, str(job))

        assert moved.checksums["small"] == xxhash.xxh3_128_hexdigest(b"abc")
        assert moved.checksums["large"] == xxhash.xxh3_128_hexdigest(LARGE)

    @pytest.mark.parametrize("data", [b"small", LARGE], ids=["small", "large"])
    def test_a_file_that_stays_wrong_is_named_with_both_checksums(
        self, way: Way, kept: Path, job: Path, data: bytes
    ) -> None:
        path = _keep(kept, "a.bin", data).path
        wanted = "0" * 31 + "1"

        with pytest.raises(StagingError) as raised:
            way.bring([Item("in/a.bin", path, checksum=wanted)], str(job))

        sentence = str(raised.value)
        assert all(fact in sentence for fact in ("'in/a.bin'", path, wanted, "4 times"))
        assert xxhash.xxh3_128_hexdigest(data) in sentence
        assert not (job / "in").exists()

    def test_a_directory_that_is_wrong_is_named(self, way: Way, kept: Path, job: Path) -> None:
        _tree(kept / "data")

        with pytest.raises(StagingError, match="'data/'"):
            way.bring([Item("data/", f"{kept}/data/", checksum="1" * 32)], str(job))

        assert list(job.iterdir()) == []

    def test_a_job_can_change_its_copy(self, way: Way, kept: Path, job: Path) -> None:
        way.bring([_keep(kept, "a", b"kept")], str(job))

        (job / "a").write_bytes(b"changed")

        assert (kept / "a").read_bytes() == b"kept"


def _keep(kept: Path, place: str, data: bytes, name: str | None = None) -> Item:
    path = kept / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return Item(place if name is None else name, str(path))


def _make(job: Path, name: str, data: bytes, path: str) -> Item:
    made = job / name
    made.parent.mkdir(parents=True, exist_ok=True)
    made.unlink(missing_ok=True)
    made.write_bytes(data)
    return Item(name, path)


def _tree(folder: Path) -> dict[str, bytes]:
    contents = {"a b.txt": b"first", "sub/ü.txt": b"second", "sub/deep/large": LARGE, "none": b""}
    for name, data in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "empty").mkdir()
    return contents


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.startswith(".longpole-")]


def _worked_by_hand() -> str:
    """Return the checksum of ``_tree``: of names and checksums in the order of names, NUL after each."""
    one, two, three = (xxhash.xxh3_128_hexdigest(data) for data in (b"first", b"second", LARGE))
    empty = xxhash.xxh3_128_hexdigest(b"")
    text = f"a b.txt\0{one}\0empty/\0\0none\0{empty}\0sub/\0\0sub/deep/\0\0sub/deep/large\0{three}\0"
    return xxhash.xxh3_128_hexdigest(f"{text}sub/ü.txt\0{two}\0".encode())


TREE_CHECKSUM = _worked_by_hand()
