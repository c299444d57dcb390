"""What the server of files does for those who ask, and for whom it does nothing."""

from __future__ import annotations

import http.client
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import xxhash

from longpole.run.staging.server import FileServer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a b.txt").write_text("content of a b")
    return tmp_path / "root"


@pytest.fixture
def server(root: Path) -> Iterator[FileServer]:
    with FileServer([str(root)]) as server:
        yield server


@contextmanager
def _ask(
    server: FileServer, path: str, method: str = "GET", body: bytes | None = None, **fields: str
) -> Iterator[http.client.HTTPResponse]:
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    headers = {"Authorization": f"Bearer {server.token}", "Connection": "close"}
    headers |= {name.replace("_", "-"): text for name, text in fields.items()}
    try:
        connection.request(method, path, body=body, headers=headers)
        with connection.getresponse() as answer:
            yield answer
    finally:
        connection.close()


def _file(path: object) -> str:
    return f"/file{quote(str(path))}"


def _status(server: FileServer, path: object) -> int:
    with _ask(server, _file(path)) as answer:
        return answer.status


def test_a_file_is_served_to_any_client_of_http(server: FileServer, root: Path) -> None:
    with _ask(server, _file(root / "a b.txt")) as answer:
        assert answer.status == 200
        assert answer.read() == b"content of a b"


def test_a_checksum_follows_the_file_if_one_is_wanted(server: FileServer, root: Path) -> None:
    with _ask(server, _file(root / "a b.txt"), Longpole_Checksums="on") as answer:
        assert answer.read() == b"content of a b" + xxhash.xxh3_128_digest(b"content of a b")


def test_a_range_is_served_of_the_same_version_only(server: FileServer, root: Path) -> None:
    path = _file(root / "a b.txt")
    with _ask(server, path, method="HEAD") as answer:
        version = answer.headers["ETag"]

    with _ask(server, path, Range="bytes=8-", If_Range=version) as answer:
        assert (answer.status, answer.headers["Content-Range"]) == (206, "bytes 8-13/14")
        assert answer.read() == b"of a b"
    with _ask(server, path, Range="bytes=8-", If_Range='"other"') as answer:
        assert (answer.status, answer.read()) == (200, b"content of a b")
    with _ask(server, path, Range="bytes=8-", If_Range=version, Longpole_Checksums="on") as answer:
        assert answer.read() == b"of a b" + xxhash.xxh3_128_digest(b"content of a b")


def test_several_requests_share_a_connection(server: FileServer, root: Path) -> None:
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    for _ in range(3):
        headers = {"Authorization": f"Bearer {server.token}"}
        connection.request("GET", _file(root / "a b.txt"), headers=headers)
        assert connection.getresponse().read() == b"content of a b"
    connection.close()


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer wrong", "Basic abc"])
def test_without_the_token_nothing_is_served(server: FileServer, root: Path, token: str) -> None:
    for method, path in (("GET", _file(root / "a b.txt")), ("POST", "/pack"), ("PUT", _file(root / "x"))):
        with _ask(server, path, method, body=b"x", Authorization=token) as answer:
            assert answer.status == 401
    assert sorted(os.listdir(root)) == ["a b.txt"]


def test_tokens_differ(root: Path) -> None:
    with FileServer([str(root)]) as one, FileServer([str(root)]) as other:
        assert one.token != other.token
        assert len(one.token) >= 32


def test_only_what_lies_under_a_root_is_served(server: FileServer, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "rooted").mkdir()
    (tmp_path / "rooted/x").write_text("secret")

    for path in (
        "/etc/passwd",
        tmp_path / "outside",
        tmp_path / "rooted/x",
        f"{root}/../outside",
        f"{root}/sub/../../outside",
        f"{root}/./a b.txt",
        f"{root}//a b.txt",
        f"{root}/..",
        f"{root}/",
    ):
        assert _status(server, path) == 403, path
    for encoded in ("%2e%2e/outside", "..%2foutside"):
        with _ask(server, f"{_file(root)}/{encoded}") as answer:
            assert answer.status == 403


def test_a_link_counts_by_where_it_leads(server: FileServer, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    (root / "within").symlink_to("a b.txt")
    (root / "out").symlink_to(tmp_path / "outside/secret")
    (root / "out folder").symlink_to(tmp_path / "outside")

    assert _status(server, root / "within") == 200
    assert _status(server, root / "out") == 403
    assert _status(server, root / "out folder/secret") == 403


def test_a_link_that_was_registered_is_followed(server: FileServer, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("shared")
    (tmp_path / "link").symlink_to("outside")

    server.register([str(tmp_path / "link")])

    assert _status(server, tmp_path / "link") == 200
    assert _status(server, tmp_path / "outside") == 403


def test_what_is_registered_is_served_from_then_on(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/x").write_text("x")
    (tmp_path / "one").write_text("1")
    assert _status(server, tmp_path / "one") == 403

    server.register([str(tmp_path / "one")])
    assert _status(server, tmp_path / "one") == 200

    assert _status(server, tmp_path / "data/x") == 403
    server.register([f"{tmp_path}/data/"])
    assert _status(server, tmp_path / "data/x") == 200


def test_what_is_registered_may_not_be_written(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    server.register([str(tmp_path / "one")])

    with _ask(server, _file(tmp_path / "one"), "PUT", body=b"2") as answer:
        assert b'"refused": [[0, 1,' in answer.read()

    assert (tmp_path / "one").read_text() == "1"


def test_a_link_does_not_lead_writers_out(server: FileServer, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (root / "out").symlink_to(tmp_path / "outside")

    with _ask(server, _file(root / "out/x"), "PUT", body=b"2") as answer:
        assert b'"refused": [[0, 1,' in answer.read()

    assert os.listdir(tmp_path / "outside") == []


def test_moves_stay_within_the_roots(server: FileServer, root: Path, tmp_path: Path) -> None:
    moves = f'[["{root}/a b.txt", "{tmp_path}/stolen"]]'.encode()

    with _ask(server, "/move", "POST", body=moves) as answer:
        assert answer.status == 403

    assert (root / "a b.txt").exists()


def test_a_pipe_is_not_waited_for(server: FileServer, root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert _status(server, root / "pipe") == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/file/none%00", 404),
        ("GET", "/elsewhere", 404),
        ("DELETE", "/pack", 404),
        ("POST", "/move", 400),
    ],
)
def test_what_makes_no_sense_is_answered(server: FileServer, method: str, path: str, status: int) -> None:
    with _ask(server, path, method, body=b"no json") as answer:
        assert answer.status == status


def test_noise_does_not_end_it(server: FileServer, root: Path) -> None:
    address = urlsplit(server.url)
    for noise in (b"", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
        with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
            connection.sendall(noise)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1000):
                pass

    assert _status(server, root / "a b.txt") == 200


def test_a_slow_client_keeps_nobody_waiting(server: FileServer, root: Path) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port)) as slow:
        slow.sendall(b"GET /file")

        assert _status(server, root / "a b.txt") == 200


def test_a_transfer_under_way_ends_with_it(root: Path) -> None:
    (root / "large").write_bytes(bytes(30_000_000))
    server = FileServer([str(root)])
    with _ask(server, _file(root / "large")) as answer:
        answer.read(1000)
        server.stop()

        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            answer.read()
