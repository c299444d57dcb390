"""What a run was asked for: kept in its log, so that another driver can go on with it."""

from __future__ import annotations

import msgspec

from longpole.errors import UsageError


class Request(msgspec.Struct, frozen=True):
    """What a run was asked for; all paths are absolute.

    Attributes:
        workflow: The file or folder that describes it.
        name: What the user calls the run; empty: what the workflow is called.
        chosen: Parameters as they were given, ``--set``.
        placement: Where its data goes.
        cluster: Which tasks run as one job, as it was given; empty: as the placement has it.
        out: Where results go.
        work: Where files are kept that tasks make.
        scratch: Where jobs have their folders.
        cores: How many cores jobs may use; 0: all.
        memory_bytes: How much memory; 0: all.
        keep_going: Whether what does not depend on a failure goes on.
        reuse: Whether what was made before and has not changed is taken.
        checksums: ``on`` or ``off``.
        container: The container runtime; ``auto``: what fits the image.
        ssh: The host that outputs are sent to by ssh, where the placement sends them; empty: by HTTP.
    """

    workflow: str
    name: str = ""
    chosen: dict[str, str] = {}
    placement: str = "links"
    cluster: str = ""
    out: str = ""
    work: str = ""
    scratch: str = ""
    cores: int = 0
    memory_bytes: int = 0
    keep_going: bool = False
    reuse: bool = True
    checksums: str = "on"
    container: str = "auto"
    ssh: str = ""


def as_text(request: Request) -> str:
    """Return a request as it is written down.

    Raises:
        UsageError: A name or a parameter is no UTF-8.
    """
    try:
        return msgspec.json.encode(request).decode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"'{error.object}' is not UTF-8, and cannot be written down. Choose another name for it."
        ) from error


def as_request(text: str) -> Request:
    """Return a request that was written down.

    Raises:
        UsageError: It cannot be understood.
    """
    try:
        return msgspec.json.decode(text, type=Request)
    except msgspec.MsgspecError as error:
        raise UsageError(f"What this run was asked for cannot be understood: {error}.") from error
