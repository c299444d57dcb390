"""The command line's first step: ``record`` goes its own lean way, everything else loads the full tool."""

from __future__ import annotations

import gc
import os
import sys


def main() -> int:
    """Run the command line; return its exit code."""
    if sys.argv[1:2] == ["record"]:
        gc.disable()  # what is made here lasts, so looking for rubbish would only take time
        from longpole.app.record import record

        code = record(sys.argv[2:])
        os._exit(code)  # nothing is left to do: taking the interpreter down would only keep the user waiting
    from longpole.app.main import cli

    return cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
