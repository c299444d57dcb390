"""What the way of HTTP does when something goes wrong on the way."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import xxhash

from longpole.errors import UsageError
from longpole.model.staging import Item, StagingError
from longpole.run.staging import fetching
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.http import HttpWay
from longpole.run.staging.server import FileServer
from tests.run.staging.disks import small_tmpfs
from tests.run.staging.relay import cut, flip, relay
from tests.run.staging.webserver import web_server

LARGE = os.urandom(5_000_000)
ALWAYS = range(1000)


def _keep(kept: Path, name: str, data: bytes) -> Item:
    (kept / name).write_bytes(data)
    return Item(name, f"{kept}/{name}")


def test_a_flipped_bit_is_fetched_again(server: FileServer, kept: Path, job: str) -> None:
    items = [_keep(kept, name, name.encode() * 5000) for name in ("a", "b", "c")]

    with relay(server.url, down=flip(7000, range(1))) as between:
        moved = HttpWay(between.url, server.token).bring(items, job)

    assert moved.again == 1
    assert [Path(job, name).read_bytes() for name in "abc"] == [name.encode() * 5000 for name in "abc"]
    assert sum(one.files for one in moved.transfers) == 3


def test_a_flipped_bit_of_a_directory_is_fetched_again(server: FileServer, kept: Path, job: str) -> None:
    (kept / "d").mkdir()
    items = [_keep(kept, f"d/{name}", name.encode() * 5000) for name in ("a", "b", "c")]

    with relay(server.url, down=flip(7000, range(1))) as between:
        moved = HttpWay(between.url, server.token).bring([Item("d/", f"{kept}/d/")], job)

    assert moved.again == 1
    assert moved.sizes == {"d/": 15000}
    assert [Path(job, one.name).stat().st_size for one in items] == [5000] * 3


def test_a_flipped_bit_of_a_large_file_is_fetched_again(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "large", LARGE)

    with relay(server.url, down=flip(3_000_000, range(2))) as between:
        moved = HttpWay(between.url, server.token).bring([item], job)

    assert moved.again == 1  # the first connection asked for a pack, which said that it is large
    assert Path(job, "large").read_bytes() == LARGE


def test_what_is_always_damaged_is_an_error_with_both_checksums(
    server: FileServer, kept: Path, job: str
) -> None:
    item = _keep(kept, "a", b"x" * 5000)

    with (
        relay(server.url, down=flip(3000, ALWAYS)) as between,
        pytest.raises(StagingError, match="4 times") as raised,
    ):
        HttpWay(between.url, server.token).bring([item], job)

    checksums = re.findall(r"[0-9a-f]{32}", str(raised.value))
    assert xxhash.xxh3_128_hexdigest(b"x" * 5000) in checksums
    assert len(set(checksums)) == 2
    assert between.url in str(raised.value)
    assert os.listdir(job) == []


def test_with_checksums_off_a_flipped_bit_is_not_seen(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "a", b"x" * 5000)

    with relay(server.url, down=flip(3000, ALWAYS)) as between:
        moved = HttpWay(between.url, server.token, checksums=Checksums.OFF).bring([item], job)

    assert moved.again == 0
    assert Path(job, "a").read_bytes() != b"x" * 5000


def test_a_file_that_changed_since_is_an_error(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "a", b"as it was")
    known = xxhash.xxh3_128_hexdigest(b"as it was")
    (kept / "a").write_bytes(b"as it is!")

    with pytest.raises(StagingError, match=known):
        HttpWay(server.url, server.token).bring([Item("a", item.path, checksum=known)], job)


def test_a_broken_pack_goes_on_with_what_is_missing(server: FileServer, kept: Path, job: str) -> None:
    # More than a chunk, so that some files have arrived when it breaks.
    items = [_keep(kept, f"f{number}", os.urandom(40_000)) for number in range(100)]

    with relay(server.url, down=cut(2_500_000, range(1))) as between:
        moved = HttpWay(between.url, server.token).bring(items, job)

    assert between.connections == 2
    assert moved.again == 0
    assert sum(one.files for one in moved.transfers) == 100
    assert all(Path(job, one.name).read_bytes() == Path(one.path).read_bytes() for one in items)


def test_a_broken_pack_of_a_directory_comes_whole(server: FileServer, kept: Path, job: str) -> None:
    (kept / "d").mkdir()
    items = [_keep(kept, f"d/f{number}", os.urandom(40_000)) for number in range(100)]

    with relay(server.url, down=cut(2_500_000, range(2))) as between:
        moved = HttpWay(between.url, server.token).bring([Item("d/", f"{kept}/d/")], job)

    assert moved.sizes == {"d/": 4_000_000}
    assert all(Path(job, one.name).read_bytes() == Path(one.path).read_bytes() for one in items)


def test_a_broken_large_file_goes_on_where_it_stopped(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "large", LARGE)
    item = Item("large", item.path, size_bytes=len(LARGE))
    crossed = []

    def watch(connection: int, start: int, piece: bytearray) -> bool:
        goes_on = cut(1_500_000, range(3))(connection, start, piece)
        crossed.append(len(piece))
        return goes_on

    with relay(server.url, down=watch) as between:
        moved = HttpWay(between.url, server.token).bring([item], job)

    assert between.connections == 4
    assert Path(job, "large").read_bytes() == LARGE
    assert moved.again == 0
    # What was under way when a connection broke, a block of a megabyte at most, comes twice.
    assert sum(crossed) < len(LARGE) + 3 * (1 << 20) + 10_000


def test_a_large_file_that_changes_between_two_connections_begins_anew(
    server: FileServer, kept: Path, job: str
) -> None:
    item = _keep(kept, "large", LARGE)
    other = os.urandom(len(LARGE))

    def change(connection: int, start: int, piece: bytearray) -> bool:
        goes_on = cut(2_500_000, range(1))(connection, start, piece)
        if not goes_on:
            (kept / "large").write_bytes(other)
        return goes_on

    with relay(server.url, down=change) as between:
        way = HttpWay(between.url, server.token)
        moved = way.bring([Item("large", item.path, size_bytes=len(LARGE))], job)

    assert Path(job, "large").read_bytes() == other
    assert moved.checksums == {"large": xxhash.xxh3_128_hexdigest(other)}


def test_a_connection_that_breaks_for_ever_is_an_error(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "a", b"x" * 5000)

    with (
        relay(server.url, down=cut(1000, ALWAYS)) as between,
        pytest.raises(StagingError, match=re.escape(between.url)),
    ):
        HttpWay(between.url, server.token).bring([item], job)

    assert os.listdir(job) == []


def test_a_server_that_is_gone_is_an_error(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "a", b"x")
    server.stop()

    with pytest.raises(StagingError, match="refused"):
        HttpWay(server.url, server.token).bring([item], job)


def test_a_wrong_token_is_told(server: FileServer, kept: Path, job: str) -> None:
    item = _keep(kept, "a", b"x")
    Path(job, "out").write_bytes(LARGE)
    way = HttpWay(server.url, "wrong")

    with pytest.raises(StagingError, match="token"):
        way.bring([item], job)
    with pytest.raises(StagingError, match="token"):
        way.send([Item("out", f"{kept}/out")], job)


def test_what_the_server_may_not_serve_is_told(server: FileServer, kept: Path, job: str) -> None:
    Path(job, "out").write_bytes(b"x")
    way = HttpWay(server.url, server.token)

    with pytest.raises(StagingError, match="was not registered"):
        way.bring([Item("passwd", "/etc/passwd")], job)
    with pytest.raises(StagingError, match="may not write"):
        way.send([Item("out", f"{kept.parent}/elsewhere")], job)

    assert not (kept.parent / "elsewhere").exists()


def test_several_processes_bring_the_same_as_one(
    server: FileServer, kept: Path, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [_keep(kept, f"f{number}", str(number).encode()) for number in range(50)]
    (kept / "d").mkdir()
    _keep(kept, "d/x", LARGE)
    items += [Item("d/", f"{kept}/d/"), _keep(kept, "large", LARGE)]
    monkeypatch.setattr(fetching, "_SHARE", 10)
    monkeypatch.setattr(fetching, "cores", lambda: 3)

    moved = HttpWay(server.url, server.token).bring(items, job)

    assert moved.sizes["f49"] == 2
    assert moved.sizes["d/"] == moved.sizes["large"] == len(LARGE)
    assert len(moved.checksums) == 52
    assert all(Path(job, f"f{number}").read_text() == str(number) for number in range(50))


def test_several_processes_tell_of_what_is_missing(
    server: FileServer, kept: Path, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [_keep(kept, f"f{number}", str(number).encode()) for number in range(50)]
    monkeypatch.setattr(fetching, "_SHARE", 10)
    monkeypatch.setattr(fetching, "cores", lambda: 3)

    with pytest.raises(StagingError, match="'gone'"):
        HttpWay(server.url, server.token).bring([*items, Item("gone", f"{kept}/gone")], job)

    assert os.listdir(job) == []


def test_a_full_disk_of_the_job_is_told(server: FileServer, kept: Path, tmp_path: Path) -> None:
    small = [_keep(kept, f"f{number}", os.urandom(100_000)) for number in range(30)]
    large = _keep(kept, "large", LARGE)
    sized = [Item(item.name, item.path, size_bytes=100_000) for item in small]
    way = HttpWay(server.url, server.token)

    with small_tmpfs(tmp_path / "full") as full:
        with pytest.raises(StagingError, match=r"3 MB needed") as raised:
            way.bring(sized, str(full))
        with pytest.raises(StagingError, match="No room") as raised_too:
            way.bring([large], str(full))
        assert list(full.iterdir()) == []

    assert raised.value.full
    assert raised_too.value.full
    assert str(full) in str(raised.value)


def test_what_came_from_the_web_is_kept_at_the_server(
    server: FileServer, kept: Path, job: str, tmp_path: Path
) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/data.bin").write_bytes(b"from the web")

    with web_server(tmp_path / "web") as url:
        way = HttpWay(server.url, server.token)
        item = Item("in/data.bin", f"{kept}/cache/data.bin", url=f"{url}/data.bin")
        moved = way.bring([item], job)

    assert Path(job, "in/data.bin").read_bytes() == (kept / "cache/data.bin").read_bytes() == b"from the web"
    assert moved.sizes == {"in/data.bin": 12}


@pytest.mark.parametrize("url", ["https://h:1", "http://h", "h:1", "", "http://h:x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="http://HOST:PORT"):
        HttpWay(url, "token")


def test_no_connection_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        HttpWay("http://h:1", "token", connections=0)
