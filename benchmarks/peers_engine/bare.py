"""No engine at all: a loop of posix_spawn and waitpid, the limit for tasks that are processes."""

from __future__ import annotations

import os
from collections.abc import Callable

from asked import Asked, answer, asked, program, timed

Command = Callable[[int], list[str]]


def main() -> None:
    """Run what is asked for."""
    what = asked()
    command, at_once = _command(what)
    answer(timed(lambda: _spawn(what.tasks, at_once, command)))


def _command(what: Asked) -> tuple[Command, int]:
    """Return the command line of each task, and how many run at once."""
    true, copy = program("true"), program("cp")
    if what.shape == "fan-out":
        return lambda _: [true], what.cores
    if what.shape == "sh":
        shell = program("sh")
        return lambda _: [shell, "-c", "true"], what.cores
    if what.shape == "outputs":
        os.mkdir("out")
        return lambda number: [copy, "/dev/null", f"out/{number}"], what.cores
    before = ["/dev/null", *(f"step{number}" for number in range(what.tasks))]
    return lambda number: [copy, before[number], before[number + 1]], 1


def _spawn(tasks: int, at_once: int, command: Command) -> None:
    environment = dict(os.environ)
    begun = ended = 0
    while ended < tasks:
        while begun < tasks and begun - ended < at_once:
            words = command(begun)
            os.posix_spawn(words[0], words, environment)
            begun += 1
        _, status = os.waitpid(-1, 0)
        if status:
            raise SystemExit(f"A task ended with status {status}.")
        ended += 1


if __name__ == "__main__":
    main()
