"""The clocks of the hosts of a joint run: each agent compares its own with one that all compare with.

Nothing happens before a second host writes into the run. The first agent to notice that nobody can be asked
says in the run's folder where it can be, and answers from then on; when it has gone, another does. Comparing
is done beside everything else: more often at first, then now and then, so that drift shows. Who cannot reach
the others says so a few times, at longer and longer intervals, and then leaves the folder alone.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time

from longpole.record.exchange import TOKEN_BYTES, addresses, answer, compare, listen
from longpole.record.json_text import json_text
from longpole.record.rundir import boot_id, remove_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.exchange import Comparison
    from longpole.record.journal import Journal

REFERENCE = "clock.json"
# Pauses between comparisons; the last goes on.
_PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0)
_LOOK_S = 1.0
# How often an agent may offer itself for comparing; each time it waits twice as long before the next.
_MOST_OFFERS = 4
_LONGEST = 4096


class ClockComparer:
    """Compares this host's clock with the reference of a run, in a thread of its own."""

    name = "clocks"
    period_s = 1.0

    def __init__(self, journal: Journal, run_path: str, log_name: str) -> None:
        """Compare for the host that writes this log of the run."""
        self._journal = journal
        self._run_path = run_path
        self._log_name = log_name
        self._path = os.path.join(run_path, REFERENCE)
        self._found: list[tuple[str, dict[str, Any]]] = []
        self._stop = threading.Event()
        self._server: socket.socket | None = None
        self._mine = ""
        self._offers = 0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def sample(self, now_ns: int) -> None:  # noqa: ARG002  as every source's
        """Note what has been found since."""
        while self._found:
            about, facts = self._found.pop(0)
            self._journal.note(about, **facts)

    def finish(self) -> None:
        """Compare no more."""
        self._stop.set()
        self._thread.join(0.2)
        if self._server is not None:
            self._withdraw()
            self._server.close()
        self.sample(0)

    def _work(self) -> None:
        done = 0
        while not self._stop.wait(self._pause_s(done)):
            try:
                if self._others() and self._compare():
                    done += 1
            except Exception as error:  # noqa: BLE001  a thread beside the agent: what fails is told, once
                facts = {"source": self.name, "text": f"clocks: {error}", "at": time.monotonic_ns()}
                self._found.append(("fault", facts))
                return

    def _pause_s(self, done: int) -> float:
        if done:
            return _PAUSES_S[min(done, len(_PAUSES_S) - 1)]
        return float(_LOOK_S * 2**self._offers) if self._offers else _LOOK_S

    def _others(self) -> bool:
        """Return whether other hosts write into the run."""
        try:
            return any(name != self._log_name for name in os.listdir(os.path.join(self._run_path, "log")))
        except OSError:
            return False

    def _compare(self) -> bool:
        """Compare with the reference; become it where there is none. Returns whether it was compared."""
        if self._server is not None and self._is_ours():
            return True
        reference = self._read()
        for address in reference.get("addresses", ()):
            try:
                found = compare((str(address), int(reference["port"])), bytes.fromhex(reference["token"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue
            self._take(reference, found)
            return True
        if self._offers < _MOST_OFFERS:
            self._offers += 1
            self._become_reference()
        return False

    def _take(self, reference: dict[str, Any], found: Comparison) -> None:
        peer = {"peer": str(reference.get("host", "")), "peer_boot": str(reference.get("boot", ""))}
        facts = {"at": found.at, "theirs": found.theirs, "error": found.error, **peer}
        self._found.append(("compared", facts))

    def _read(self) -> dict[str, Any]:
        try:
            with open(self._path) as file:
                facts = json.loads(file.read(_LONGEST))
        except (OSError, ValueError):
            return {}
        return facts if isinstance(facts, dict) else {}

    def _is_ours(self) -> bool:
        return str(self._read().get("token", "")) == self._mine

    def _become_reference(self) -> None:
        token = os.urandom(TOKEN_BYTES)
        self._mine = token.hex()
        if self._server is not None:
            self._server.close()
        self._server = listen()
        facts = {
            "host": os.uname().nodename,
            "boot": boot_id(),
            "addresses": addresses(),
            "port": self._server.getsockname()[1],
            "token": self._mine,
        }
        fresh = f"{self._path}.{self._log_name}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(json_text(facts))
        os.replace(fresh, self._path)
        threading.Thread(target=_serve, args=(self._server, token), daemon=True).start()

    def _withdraw(self) -> None:
        if self._is_ours():
            remove_file(self._path)


def _serve(server: socket.socket, token: bytes) -> None:
    while True:
        try:
            stream, _ = server.accept()
        except OSError:
            return  # it was closed: there is nobody left to compare for
        try:
            answer(stream, token)
        except OSError:
            continue  # a stranger, or one who has gone
