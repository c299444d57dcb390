"""Data on the web is fetched, and gone on with, and kept."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import xxhash

from longpole.model.ports import Way
from longpole.model.staging import Item, StagingError
from longpole.run.staging import web
from longpole.run.staging.copy import CopyWay
from longpole.run.staging.hardlink import HardlinkWay
from longpole.run.staging.link import LinkWay
from tests.run.staging.disks import small_tmpfs
from tests.run.staging.relay import cut, flip, relay
from tests.run.staging.webserver import web_server

LARGE = os.urandom(4_000_000)
ALWAYS = range(1000)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_PAUSE_S", 0.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/large.bin").write_bytes(LARGE)
    return tmp_path / "site"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return tmp_path / "job"


@pytest.mark.parametrize("way", [LinkWay(), HardlinkWay(), CopyWay()], ids=lambda way: way.name)
def test_what_has_a_path_is_kept_there_and_fetched_once(
    way: Way, site: Path, job: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "cache/large.bin"
    with web_server(site) as url:
        item = Item("in/l.bin", str(kept), url=f"{url}/large.bin")
        moved = way.bring([item], str(job))
    again = way.bring([item], str(job))  # the server is gone

    assert kept.read_bytes() == (job / "in/l.bin").read_bytes() == LARGE
    assert moved.sizes == again.sizes == {"in/l.bin": len(LARGE)}
    assert any(one.moved_bytes == len(LARGE) for one in moved.transfers)
    assert os.listdir(kept.parent) == ["large.bin"]


def test_what_has_no_path_arrives_in_the_folder_of_the_job(site: Path, job: Path) -> None:
    with web_server(site) as url:
        moved = LinkWay().bring([Item("in/l.bin", url=f"{url}/large.bin")], str(job))

    assert not (job / "in/l.bin").is_symlink()
    assert (job / "in/l.bin").read_bytes() == LARGE
    assert moved.checksums == {"in/l.bin": xxhash.xxh3_128_hexdigest(LARGE)}


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_transfer_goes_on(site: Path, job: Path, ranges: bool) -> None:
    crossed = []

    def watch(connection: int, start: int, piece: bytearray) -> bool:
        goes_on = cut(2_500_000, range(1))(connection, start, piece)
        crossed.append(len(piece))
        return goes_on

    with web_server(site, ranges=ranges) as url, relay(url, down=watch) as between:
        CopyWay().bring([Item("l", url=f"{between.url}/large.bin")], str(job))

    assert (job / "l").read_bytes() == LARGE
    assert (sum(crossed) < len(LARGE) + (1 << 20)) == ranges


def test_a_file_that_changes_meanwhile_is_fetched_anew(site: Path, job: Path) -> None:
    other = os.urandom(len(LARGE))

    def change(connection: int, start: int, piece: bytearray) -> bool:
        goes_on = cut(2_500_000, range(1))(connection, start, piece)
        if not goes_on:
            (site / "large.bin").write_bytes(other)
        return goes_on

    with web_server(site) as url, relay(url, down=change) as between:
        CopyWay().bring([Item("l", url=f"{between.url}/large.bin")], str(job))

    assert (job / "l").read_bytes() == other


def test_a_flipped_bit_is_fetched_again(site: Path, job: Path) -> None:
    checksum = xxhash.xxh3_128_hexdigest(LARGE)
    with web_server(site) as url, relay(url, down=flip(100_000, range(1))) as between:
        item = Item("l", url=f"{between.url}/large.bin", checksum=checksum)
        moved = CopyWay().bring([item], str(job))

    assert moved.again == 1
    assert (job / "l").read_bytes() == LARGE


def test_what_stays_wrong_is_an_error_and_is_not_kept(site: Path, job: Path, tmp_path: Path) -> None:
    with web_server(site) as url:
        item = Item("l", f"{tmp_path}/cache/l", url=f"{url}/large.bin", checksum="1" * 32)
        with pytest.raises(StagingError, match="4 times") as raised:
            CopyWay().bring([item], str(job))

    assert f"{url}/large.bin" in str(raised.value)
    assert "1" * 32 in str(raised.value)
    assert os.listdir(tmp_path / "cache") == []


def test_what_is_not_there_is_told(site: Path, job: Path) -> None:
    with web_server(site) as url, pytest.raises(StagingError, match="404") as raised:
        CopyWay().bring([Item("in/x", url=f"{url}/none.bin")], str(job))

    assert "'in/x'" in str(raised.value)
    assert f"{url}/none.bin" in str(raised.value)


def test_a_connection_that_breaks_for_ever_is_told(site: Path, job: Path) -> None:
    with (
        web_server(site) as url,
        relay(url, down=cut(10, ALWAYS)) as between,
        pytest.raises(StagingError, match=re.escape(between.url)),
    ):
        CopyWay().bring([Item("l", url=f"{between.url}/large.bin")], str(job))


def test_secrets_of_an_address_are_not_told(job: Path) -> None:
    with pytest.raises(StagingError) as raised:
        CopyWay().bring([Item("l", url="http://me:word@127.0.0.1:9/x?key=hush")], str(job))

    assert "word" not in str(raised.value)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize("url", ["ftp://host/x", "file:///etc/passwd", "nothing"])
def test_other_addresses_are_refused(job: Path, url: str) -> None:
    with pytest.raises(StagingError, match="only http and https"):
        CopyWay().bring([Item("l", url=url)], str(job))


def test_a_directory_cannot_be_fetched(job: Path) -> None:
    with pytest.raises(StagingError, match="is a directory"):
        CopyWay().bring([Item("d/", url="http://127.0.0.1:9/d/")], str(job))


def test_a_full_disk_is_told(site: Path, job: Path, tmp_path: Path) -> None:
    with (
        small_tmpfs(tmp_path / "full") as full,
        web_server(site) as url,
    ):
        item = Item("l", f"{full}/l", url=f"{url}/large.bin", size_bytes=len(LARGE))
        with pytest.raises(StagingError, match="4 MB needed") as raised:
            CopyWay().bring([item], str(job))
        assert list(full.iterdir()) == []

    assert raised.value.full
