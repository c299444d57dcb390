"""What the server of files answers to one connection, request by request.

    GET  /file/PATH   one file; Range and If-Range, so that a broken transfer goes on where it stopped
    POST /pack        many files and directories in one stream; the body is their paths, each ended by a NUL
    PUT  /pack        many small files into their places; the answer says which arrived damaged
    PUT  /file/PATH   one file into its place
    POST /move        renames, for directories that were sent under hidden names

PATH is absolute. With ``Longpole-Checksums: on``, a body of one file is followed by the 16 bytes of its
checksum, which count in its length. 401 is for a wrong token, 403 for paths that are not served.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from http import HTTPStatus
from urllib.parse import unquote_to_bytes

from longpole.run.staging.access import Access
from longpole.run.staging.checksums import DIGEST_BYTES, Checksums, running_for
from longpole.run.staging.landing import replace
from longpole.run.staging.packs import Kind, PackWriter
from longpole.run.staging.receiving import receive_file, receive_pack
from longpole.run.staging.trees import parts_of
from longpole.run.staging.wire import Head, Wire

FILES = "/file"
CHECKSUMS = "longpole-checksums"
MODE = "longpole-mode"
_BLOCK = 1 << 20
_MOST_NAMES = 1 << 28
_STATUS = {
    errno.EPERM: HTTPStatus.FORBIDDEN,
    errno.EACCES: HTTPStatus.FORBIDDEN,
    errno.ENOENT: HTTPStatus.NOT_FOUND,
    errno.ENOTDIR: HTTPStatus.NOT_FOUND,
    errno.ENOSPC: HTTPStatus.INSUFFICIENT_STORAGE,
    errno.EDQUOT: HTTPStatus.INSUFFICIENT_STORAGE,
}


def answer_all(wire: Wire, access: Access) -> None:
    """Answer one request after another until the other side ends the connection.

    Raises:
        ConnectionError: It ended early.
        TimeoutError: Nothing moved for too long.
    """
    while head := wire.head():
        if len(head.words) != 3 or not head.words[2].startswith("HTTP/1."):
            _refuse(wire, HTTPStatus.BAD_REQUEST)
            return
        if not access.knows(head.fields.get("authorization", "")):
            _refuse(wire, HTTPStatus.UNAUTHORIZED)
            return
        try:
            _Answer(wire, access, head).give()
        except OSError as error:
            if isinstance(error, ConnectionError | TimeoutError):
                raise
            _refuse(
                wire, _STATUS.get(error.errno or 0, HTTPStatus.INTERNAL_SERVER_ERROR), str(error.strerror)
            )
            return
        except (ValueError, TypeError, AttributeError):
            _refuse(wire, HTTPStatus.BAD_REQUEST)
            return
        if head.fields.get("connection", "").lower() == "close":
            return


class _Answer:
    """One request, and the answer to it."""

    def __init__(self, wire: Wire, access: Access, head: Head) -> None:
        self._wire, self._access, self._head = wire, access, head
        self._began = False
        wanted = head.fields.get(CHECKSUMS, Checksums.OFF).lower()
        self._checksums = Checksums.ON if wanted == Checksums.ON else Checksums.OFF

    def give(self) -> None:
        method, target, _ = self._head.words
        path = target.partition("?")[0]
        known = {
            ("POST", "/pack"): self._pack,
            ("PUT", "/pack"): self._take_pack,
            ("POST", "/move"): self._move,
            ("GET", FILES): self._file,
            ("HEAD", FILES): self._file,
            ("PUT", FILES): self._take_file,
        }
        act = known.get((method, FILES if path.startswith(f"{FILES}/") else path))
        if act is None:
            raise FileNotFoundError(errno.ENOENT, f"there is no {method} {path} here")
        act()

    def _path(self) -> str:
        encoded = unquote_to_bytes(self._head.words[1].partition("?")[0].removeprefix(FILES))
        if b"\0" in encoded:
            raise FileNotFoundError(errno.ENOENT, "no path has a NUL in it")
        return os.fsdecode(encoded)

    def _body(self) -> bytes:
        if self._head.length > _MOST_NAMES:
            raise OSError(errno.E2BIG, "the list of names is too long")
        body = bytearray(self._head.length)
        self._wire.fill(memoryview(body))
        return bytes(body)

    def _pack(self) -> None:
        paths = os.fsdecode(self._body()).split("\0")[:-1]
        self._wire.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer = PackWriter(self._wire, self._checksums)
        for item, path in enumerate(paths):
            if path.endswith("/"):
                self._pack_folder(writer, item, path.rstrip("/"))
            else:
                self._pack_file(writer, item, b"", path)
        writer.end()

    def _pack_file(self, writer: PackWriter, item: int, name: bytes, path: str) -> None:
        try:
            descriptor = self._access.open(path)
            try:
                writer.file(item, name, descriptor)
            finally:
                os.close(descriptor)
        except ConnectionError:
            raise
        except OSError as error:
            writer.mark(item, Kind.REFUSED, name, mode=error.errno or 0)

    def _pack_folder(self, writer: PackWriter, item: int, folder: str) -> None:
        try:
            self._access.check_folder(folder)
            parts = list(parts_of(folder))
        except OSError as error:
            writer.mark(item, Kind.REFUSED, mode=error.errno or 0)
            return
        writer.mark(item, Kind.FOLDER)
        for part in parts:
            name = os.fsencode(part.name)
            if part.is_folder:
                writer.mark(item, Kind.FOLDER, name)
            else:
                self._pack_file(writer, item, name, part.path)

    def _file(self) -> None:
        descriptor = self._access.open(self._path())
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise FileNotFoundError(errno.ENOENT, "it is not a file")
            version = _version(facts)
            start = self._start(facts.st_size, version)
            self._file_head(facts, start, version)
            if self._head.words[0] == "GET":
                self._send_file(descriptor, start, facts)
        except OSError as error:
            if self._began:
                raise ConnectionAbortedError("the file cannot be read to its end") from error
            raise
        finally:
            os.close(descriptor)

    def _start(self, size: int, version: str) -> int:
        """Return where to begin: ranges up to the end are all that we know, and only of the same version."""
        start = self._head.fields.get("range", "").removeprefix("bytes=").removesuffix("-")
        if not start.isdecimal() or int(start) >= size:
            return 0
        return int(start) if self._head.fields.get("if-range", version) == version else 0

    def _file_head(self, facts: os.stat_result, start: int, version: str) -> None:
        size = facts.st_size
        trailer = DIGEST_BYTES if self._checksums is Checksums.ON else 0
        lines = [f"Content-Length: {size - start + trailer}", f"ETag: {version}", "Accept-Ranges: bytes"]
        lines.append(f"{MODE}: {facts.st_mode & 0o777:o}")
        if start:
            lines.append(f"Content-Range: bytes {start}-{size - 1}/{size}")
        status = HTTPStatus.PARTIAL_CONTENT if start else HTTPStatus.OK
        self._began = True
        _send_head(self._wire, status, lines)

    def _send_file(self, descriptor: int, start: int, facts: os.stat_result) -> None:
        if self._checksums is Checksums.OFF:
            _send_in_kernel(self._wire, descriptor, start, facts.st_size)
            return
        running = running_for(self._checksums)
        buffer = memoryview(bytearray(_BLOCK))
        at = 0
        while at < facts.st_size:
            # Up to where the other side is, the file is read for its checksum only.
            end = start if at < start else facts.st_size
            size = os.preadv(descriptor, [buffer[: end - at]], at)
            _must_go_on(size)
            running.update(buffer[:size])
            if at >= start:
                self._wire.send(buffer[:size])
            at += size
        # Parts of two versions have no checksum to go by: the other side begins again.
        _must_go_on(_version(os.fstat(descriptor)) == _version(facts))
        self._wire.send(running.digest())

    def _take_pack(self) -> None:
        _say(self._wire, HTTPStatus.OK, receive_pack(self._wire, self._access, self._checksums))

    def _take_file(self) -> None:
        mode = int(self._head.fields.get(MODE, "644"), 8) & 0o777
        path, size = self._path(), self._head.length
        refused = receive_file(self._wire, self._access, (path, size, mode), self._checksums)
        _say(self._wire, HTTPStatus.OK, refused)

    def _move(self) -> None:
        for source, target in json.loads(self._body()):
            self._access.check_write(source)
            self._access.check_write(target.rstrip("/"))
            # Hidden names are never used twice: one that is gone was moved, and the answer to that was lost.
            if os.path.lexists(source) or not os.path.lexists(target):
                replace(source, target)
        _say(self._wire, HTTPStatus.OK, {})


def _version(facts: os.stat_result) -> str:
    return f'"{facts.st_ino:x}-{facts.st_mtime_ns:x}-{facts.st_size:x}"'


def _send_in_kernel(wire: Wire, descriptor: int, at: int, end: int) -> None:
    while at < end:
        try:
            sent = os.sendfile(wire.fileno(), descriptor, at, end - at)
        except BlockingIOError as error:
            raise TimeoutError("the other side takes nothing") from error
        _must_go_on(sent)
        at += sent


def _must_go_on(sent: int) -> None:
    if not sent:
        raise ConnectionAbortedError("the file changed while it was sent")


def _say(wire: Wire, status: HTTPStatus, facts: object) -> None:
    body = json.dumps(facts).encode()
    _send_head(wire, status, ["Content-Type: application/json", f"Content-Length: {len(body)}"])
    wire.send(body)


def _refuse(wire: Wire, status: HTTPStatus, reason: str = "") -> None:
    """Answer that it is not done, and end: what the other side still sends is of no use."""
    body = json.dumps({"reason": reason or status.phrase}).encode()
    lines = ["Connection: close", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    if status is HTTPStatus.UNAUTHORIZED:
        lines.append("WWW-Authenticate: Bearer")
    _send_head(wire, status, lines)
    wire.send(body)
    wire.drain()


def _send_head(wire: Wire, status: HTTPStatus, lines: list[str]) -> None:
    text = "\r\n".join((f"HTTP/1.1 {status.value} {status.phrase}", *lines, "", ""))
    wire.send(text.encode("latin-1"))
