"""How files travel under a placement: by which ways, and the server of files that some of them need."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from longpole.model.plan import Handing, Rules
from longpole.model.ports import Way
from longpole.model.workflow import Workflow
from longpole.run.locations import place_of
from longpole.run.request import Request
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.server import FileServer
from longpole.run.staging.ways import Settings, way_named


class Transport:
    """The ways of one run.

    Attributes:
        bring: The way of inputs.
        send: The way of outputs.
    """

    def __init__(self, workflow: Workflow, request: Request, rules: Rules, roots: Sequence[str]) -> None:
        """Start a server of files, if a way needs one; what the run keeps lies below ``roots``.

        Raises:
            StagingError: It cannot listen.
        """
        self._request = request
        self._connections = rules.connections
        self.bring = rules.stage_in
        # Without a host to send to by ssh, outputs go back to the server that inputs come from.
        self.send = "link" if rules.stage_out is Handing.MOVE else "ssh" if request.ssh else "http"
        self._server = FileServer(roots) if "http" in (self.bring, self.send) else None
        if self._server is not None:
            self._server.register(_offered(workflow))

    def way(self, name: str) -> Way:
        """Return a way by its name."""
        checksums, host = Checksums(self._request.checksums), self._request.ssh
        settings = Settings(checksums, connections=self._connections, host=host)
        if self._server is not None:
            settings = replace(settings, url=self._server.url, token=self._server.token)
        return way_named(name, settings)

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.stop()


def _offered(workflow: Workflow) -> list[str]:
    """Return what jobs may fetch: the workflow's folder, files that lie elsewhere, and images."""
    paths = [f"{workflow.folder.rstrip('/')}/"]
    paths += [place_of(workflow, name) for name, place in workflow.files.items() if place.path]
    images = {template.image for template in workflow.templates.values()}
    paths += [f"{image}/" if os.path.isdir(image) else image for image in images if os.path.isabs(image)]
    return paths
