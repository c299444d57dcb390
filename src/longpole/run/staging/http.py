"""The way of HTTP: a job on another host asks the server of files that runs where the run keeps them."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.errors import UsageError
from longpole.model.staging import Item, Moved
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.errands import found_in, known_bytes
from longpole.run.staging.fetching import Fetching
from longpole.run.staging.landing import landing
from longpole.run.staging.movements import Movements, all_of
from longpole.run.staging.pushing import Pushing
from longpole.run.staging.refusals import check_names, check_paths, unwritable
from longpole.run.staging.remote import Remote
from longpole.run.staging.web import fetch

CONNECTIONS = 4


class HttpWay:
    """Asks a ``server.FileServer``; see ``model.ports.Way``."""

    name = "http"

    def __init__(
        self,
        url: str,
        token: str,
        *,
        checksums: Checksums = Checksums.ON,
        connections: int = CONNECTIONS,
    ) -> None:
        """Take where the server listens, its token, and how many large files may be under way at once.

        Raises:
            UsageError: The address is none, or there is to be no connection.
        """
        if connections < 1:
            raise UsageError(f"Staging needs at least one connection, and was given {connections}.")
        self._remote = Remote(url, token, checksums)
        self._connections = connections

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Fetch items; what the server has not is fetched from its address, if it has one."""
        check_names(items)
        kept = [item for item in items if item.path or not item.url]
        check_paths(kept)
        movements = Movements()
        try:
            with landing(folder) as ground:
                fetching = Fetching(self._remote, ground, movements, self._connections)
                fetching.fetch(kept)
                absent = [*fetching.absent, *(item for item in items if not item.path and item.url)]
                for item in absent:
                    fetch(item, ground.path(item.name), movements, self._remote.checksums)
        except OSError as error:
            raise unwritable(error, all_of(items), folder, known_bytes(items)) from error
        self._keep(fetching.absent, folder)
        return movements.moved()

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Send items of a job's folder to the server, if all of them are there."""
        check_paths(items)
        movements = Movements()
        Pushing(self._remote, movements, self._connections).push(found_in(items, folder))
        return movements.moved()

    def _keep(self, items: Sequence[Item], folder: str) -> None:
        """Let the run keep what came from the web, so that it is fetched once."""
        if items:
            self.send(items, folder)
