"""A web server on this host, as others run them: with ranges, or without, as it is told."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Plain(SimpleHTTPRequestHandler):
    """Serves a folder; knows no ranges."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass


class _Ranges(_Plain):
    """Serves ranges up to the end of a file, as long as it has not changed."""

    def do_GET(self) -> None:
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        version = f'"{path.stat().st_mtime_ns}"' if path.is_file() else ""
        if not path.is_file() or self.headers.get("If-Range", version) != version:
            super().do_GET()
            return
        data = path.read_bytes()
        start = int(found[1]) if found else 0
        self.send_response(206 if found else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.send_header("ETag", version)
        if found:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(data[start:])


@contextmanager
def web_server(folder: Path, *, ranges: bool = True) -> Iterator[str]:
    """Serve a folder; yield its address."""
    handler = partial(_Ranges if ranges else _Plain, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
