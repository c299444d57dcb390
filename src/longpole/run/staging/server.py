"""The server of files at the submit side, as the driver sees it: started, told of paths, stopped."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable, Sequence

from longpole.model.staging import StagingError

_MODULE = "longpole.run.staging.serving"


class FileServer:
    """A running server: its address, the token that requests must bring, and what it serves.

    It ends with ``stop``, and when this process ends, however that happens. Use it from one thread.

    Attributes:
        url: Where it listens, as in ``http://127.0.0.1:40961``.
        token: What every request must bring; it is secret.
        pid: Its process.
    """

    def __init__(self, roots: Sequence[str], address: str = "127.0.0.1", port: int = 0) -> None:
        """Start it; files under the roots may be read and written.

        Args:
            roots: Absolute paths of folders.
            address: The address to listen at: one of this host that jobs can reach.
            port: The port; 0 takes a free one.

        Raises:
            StagingError: It cannot listen there.
        """
        self.token = secrets.token_hex(16)
        # It leaves a process of its own behind, and ends; -P, since a job's folder may lie around us.
        starter = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert starter.stdin is not None
        assert starter.stdout is not None
        self._input, self._output = starter.stdin, starter.stdout
        wishes = {"roots": list(roots), "token": self.token, "host": address, "port": port}
        self._tell({**wishes, "driver": os.getpid()})
        said = json.loads(self._output.readline() or b'{"error": "it ended at once"}')
        starter.wait()
        if "error" in said:
            self.stop()
            where = f"{address}:{port}" if port else address
            raise StagingError(
                f"The server of files cannot listen at {where}: {said['error']}. Choose another address."
            )
        self.pid: int = said["pid"]
        self.url = f"http://{address}:{said['port']}"

    def register(self, paths: Iterable[str]) -> None:
        """Let more be read: absolute paths of files, and of directories (ending in a slash).

        Connections that are made later know of them.

        Raises:
            StagingError: The server is gone.
        """
        self._tell(list(paths))

    def stop(self) -> None:
        """End it, and wait until it has ended; may be called again."""
        if self._input.closed:
            return
        self._input.close()
        self._output.read()
        self._output.close()

    def __enter__(self) -> FileServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _tell(self, facts: object) -> None:
        try:
            if self._input.closed:
                raise BrokenPipeError
            self._input.write(json.dumps(facts).encode() + b"\n")
            self._input.flush()
        except BrokenPipeError as error:
            raise StagingError(
                "The server of files is gone: was it killed? Run again with --resume."
            ) from error
