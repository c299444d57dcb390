"""No container: commands run on the host as they are."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.model.containers import Inside


class NoContainer:
    """Runs commands as they are; images are not looked at, and inputs are not protected."""

    name = "none"

    def missing(self) -> str:
        """Return nothing: it can be used everywhere."""
        return ""

    def prepare(self, image: str) -> str:
        """Return the image as it was given: nothing is made of it."""
        return image

    def command(self, prepared: str, inside: Inside, arguments: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return the arguments."""
        return list(arguments)

    def release(self, prepared: str) -> None:
        """Do nothing."""
