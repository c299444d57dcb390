"""One run of a series, as a process: begins it as any run, and tells who waits for it where it is.

When the process that makes the series dies, this one is asked to stop, so that no run goes on unseen.
"""

from __future__ import annotations

import sys

from longpole.app.main import guarded
from longpole.app.running import begin_in, create_in
from longpole.record.kernel import stop_with_parent
from longpole.run.request import as_request


def main(arguments: list[str]) -> int:
    """Make one run."""
    parent, text, name, runs, series, number = arguments
    stop_with_parent(int(parent))
    return guarded(lambda: _begin(text, name, runs, series=series, series_round=int(number)))


def _begin(text: str, name: str, runs: str, **facts: object) -> int:
    path = create_in(runs, name, **facts)
    sys.stdout.write(f"{path}\n")
    sys.stdout.flush()
    return begin_in(path, as_request(text), ("",))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
