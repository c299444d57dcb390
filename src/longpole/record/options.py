"""What ``longpole record`` can be asked for, with its defaults."""

from __future__ import annotations

DEFAULT_RATE_HZ = 10.0
DEFAULT_DISK_BYTES = 200_000_000
DEFAULT_LINGER_S = 5.0
DETAILS = ("low", "auto", "high")

_INTERPRETERS = ("python", "bash", "sh", "zsh", "Rscript", "julia", "perl", "node", "env", "uv", "time")


class RecordOptions:
    """The choices of one recording."""

    def __init__(self) -> None:
        """Start from the defaults."""
        self.name = ""
        self.into = ""
        self.new = False
        # The folder of a run that is there, to be joined by its path instead of a name.
        self.join = ""
        # The task that another system tells of in that run, which the command is executed for.
        self.task = ""
        self.runs = ""
        self.rate_hz = DEFAULT_RATE_HZ
        self.rate_fixed = False
        self.disk_bytes = DEFAULT_DISK_BYTES
        self.linger_s = DEFAULT_LINGER_S
        self.files = False
        self.detail = "auto"
        # Processes that already run; without any there is a command.
        self.pids: list[int] = []


def name_of(command: list[str]) -> str:
    """Return what a person would call this command.

    Examples:
        >>> name_of(["python3", "-u", "src/train.py", "--lr", "0.1"]), name_of(["/bin/ls", "-l"])
        ('train', 'ls')
        >>> name_of(["python", "-m", "pkg.fit"]), name_of(["bash", "-c", "echo hello"])
        ('pkg.fit', 'bash')
    """
    program = command[0].rpartition("/")[2]
    if program.startswith(_INTERPRETERS):
        for at, argument in enumerate(command[1:], start=1):
            if argument == "-c":
                break
            if argument == "-m" and at + 1 < len(command):
                return command[at + 1]
            if not argument.startswith("-") and "=" not in argument:
                script = argument.rpartition("/")[2]
                return script.rpartition(".")[0] or script
    return program or "run"
