"""What changes when a function does: the text of its module if it is known by name, else its code.

Left out: what it calls in other modules, and what it reads from outside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType
from typing import Any

from longpole.describe.functions import NamedFunction
from longpole.run.staging.checksums import Checksums, of_file


def code_of(function: Callable[..., Any]) -> str:
    """Return a text that is another one if a function is written in another way."""
    if isinstance(function, NamedFunction):
        return f"{function}{_module_sum(function)}"
    named = getattr(function, "__qualname__", repr(function))
    code = getattr(function, "__code__", None)
    defaults = getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
    return f"{named}{defaults!r}{_told(code) if code is not None else ''}"


def _module_sum(function: NamedFunction) -> str:
    """Return the checksum of the file that a function is in; empty if it is not in the workflow's folder."""
    path = os.path.join(function.folder, *function.module.split("."))
    for file in (f"{path}.py", os.path.join(path, "__init__.py")):
        try:
            return of_file(file, Checksums.ON)
        except OSError:
            continue
    return ""


def _told(code: CodeType) -> str:
    """Return code as text, with that of functions within it; where it lies in memory does not matter."""
    within = [_told(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return f"{code.co_code.hex()}{within}{code.co_names}"
