"""Names of logical files as authors write them: with parameters, sets and ``./``, and what is refused."""

from __future__ import annotations

import re

from longpole.describe.complaints import short
from longpole.describe.substitution import Parameters
from longpole.model.patterns import fits, parse
from longpole.model.workflow import WorkflowError

_TWO_SPELLINGS = re.compile(r"(?:(?<=/)|^)(?:\./+)+|(?<=/)/+")


def file_pattern(text: str, parameters: Parameters) -> str:
    """Return a name or pattern in its one spelling.

    Raises:
        WorkflowError: It is no name of a file within the workflow.

    Examples:
        >>> file_pattern("./tiles//{tile}.png", Parameters())
        'tiles/{tile}.png'
    """
    if "{" in text or "}" in text:
        text = parameters.in_pattern(text)
        parse(text)
    if fits(text) and text[0] != "~":
        return text
    if not text:
        raise WorkflowError("A name of a file is empty.")
    if text[0] in "/~":
        raise WorkflowError(
            f"'{short(text)}' is an absolute path. Names of files are relative; give it a name, and say "
            f"under 'files' where it lies: {{{short(text.rsplit('/', 1)[-1])}: {{path: {short(text)}}}}}."
        )
    if "\n" in text or "\0" in text:
        raise WorkflowError(f"'{short(text)}' has a line break or a NUL in it, which no name may.")
    tidy = _TWO_SPELLINGS.sub("", text)
    if not fits(tidy):
        raise WorkflowError(
            f"'{short(text)}' leads out of the workflow's folder, or to the folder itself. Give the file a "
            "name, and say under 'files' where it lies."
        )
    return tidy
