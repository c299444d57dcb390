"""What the way of HTTP does when outputs are damaged on the way, or find no room."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from longpole.model.staging import Item, StagingError
from longpole.run.staging.http import HttpWay
from longpole.run.staging.server import FileServer
from tests.run.staging.disks import small_tmpfs
from tests.run.staging.relay import cut, flip, relay

LARGE = os.urandom(5_000_000)
ALWAYS = range(1000)


@pytest.mark.parametrize("data", [b"x" * 5000, LARGE], ids=["small", "large"])
def test_what_is_sent_with_a_flipped_bit_is_sent_again(
    server: FileServer, kept: Path, job: str, data: bytes
) -> None:
    Path(job, "out").write_bytes(data)

    with relay(server.url, up=flip(4000, range(1))) as between:
        moved = HttpWay(between.url, server.token).send([Item("out", f"{kept}/out")], job)

    assert moved.again == 1
    assert (kept / "out").read_bytes() == data


@pytest.mark.parametrize("data", [b"x" * 5000, LARGE], ids=["small", "large"])
def test_what_is_always_damaged_as_it_is_sent_is_an_error(
    server: FileServer, kept: Path, job: str, data: bytes
) -> None:
    Path(job, "out").write_bytes(data)

    with (
        relay(server.url, up=flip(4000, ALWAYS)) as between,
        pytest.raises(StagingError, match="4 times") as raised,
    ):
        HttpWay(between.url, server.token).send([Item("out", f"{kept}/out")], job)

    assert len(set(re.findall(r"[0-9a-f]{32}", str(raised.value)))) == 2
    assert list(kept.iterdir()) == []


@pytest.mark.parametrize("data", [b"x" * 900_000, LARGE], ids=["small", "large"])
def test_what_breaks_as_it_is_sent_is_sent_again(
    server: FileServer, kept: Path, job: str, data: bytes
) -> None:
    Path(job, "out").write_bytes(data)

    with relay(server.url, up=cut(500_000, range(2))) as between:
        moved = HttpWay(between.url, server.token).send([Item("out", f"{kept}/out")], job)

    assert moved.sizes == {"out": len(data)}
    assert (kept / "out").read_bytes() == data


def test_a_full_disk_of_the_server_is_told(job: str, tmp_path: Path) -> None:
    for number in range(30):
        Path(job, f"f{number}").write_bytes(os.urandom(100_000))
    Path(job, "large").write_bytes(LARGE)

    with small_tmpfs(tmp_path / "full") as full, FileServer([str(full)]) as server:
        way = HttpWay(server.url, server.token)
        with pytest.raises(StagingError, match=r"3 MB needed") as raised:
            way.send([Item(f"f{number}", f"{full}/f{number}") for number in range(30)], job)
        arrived = [path.stat().st_size for path in full.iterdir()]
        with pytest.raises(StagingError, match=r"5 MB needed") as raised_too:
            way.send([Item("large", f"{full}/large")], job)
        assert not (full / "large").exists()

    assert raised.value.full
    assert raised_too.value.full
    assert set(arrived) == {100_000}  # what is there is complete
