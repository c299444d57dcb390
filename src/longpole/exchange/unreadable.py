"""The error of all importers: a file that is not what it should be."""

from __future__ import annotations

from longpole.errors import UNMEASURABLE, LongpoleError


class UnreadableFileError(LongpoleError):
    """A file of another system cannot be read as what it claims to be."""

    exit_code = UNMEASURABLE
