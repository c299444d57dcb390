"""``longpole record``: parsed by hand, since a user waits for every library it would load."""

from __future__ import annotations

import os

from longpole.errors import AttachError, UsageError
from longpole.record.command import FAILED, CannotRunError
from longpole.record.launcher import launch, say
from longpole.record.options import DETAILS, RecordOptions
from longpole.record.rundir import RUN_VARIABLE, find_runs_folder, is_below_launcher, is_inside_run

_FEWEST_HZ, _MOST_HZ = 0.1, 100.0
_LONGEST_PID = 10
_FOR_COMMANDS = ("--into", "--join", "--task", "--linger", "--detail")

HELP = """\
Usage: longpole record [OPTIONS] [--] COMMAND [ARGUMENT...]
       longpole record [OPTIONS] --pid PID [--pid PID...]

  Run any command, unchanged, and record where its time goes. Its input, output,
  signals and exit code are its own; 'longpole show' then tells what happened.

Options:
  --name NAME      What to call the run (default: from the command).
  --into NAME      Make one run of many commands: the first that names it creates the
                   run, all others join it, on this node or any other that sees the
                   same folder of runs, now or later. For sbatch scripts, job arrays,
                   srun, mpirun, torchrun, cron and makefiles.
  --new            With --into: begin another run of that name.
  --rate HZ        Samples of each process a second, 0.1 to 100 (default: 10, and
                   fewer where recording would take over 0.2 % of a core).
  --detail LEVEL   How much to note of training steps and the like: auto (the default)
                   notes all of 2 ms and more, with all their parts where that is
                   cheap, and counts shorter ones; high notes every one with all its
                   parts, low counts all, and notes a few.
  --files          Note which files each process opened (needs root; about 9 us
                   for every open of a file on this machine).
  --disk SIZE      Keep at most this much per process, e.g. 200MB (the default);
                   beyond it, phases become histograms and samples get sparser.
  --linger SECONDS Wait at most so long for processes the command has left behind
                   (default: 5).
  --pid PID        Record a process that already runs, and all below it, until it ends
                   or Ctrl-C; several may be given. Samples only: no exit code, no
                   phases, totals from the samples; not with --detail or --linger.
  --runs DIR       Where runs are kept (default: $LONGPOLE_RUNS, else the nearest
                   .longpole/runs upward, else ./.longpole/runs).
  --help           Show this text.

Exit code: the command's own; 125 if Longpole itself was used wrongly, 126 if the
command cannot be executed, 127 if it is not found. With --pid it is 0, or 125 if
that cannot be recorded. Inside a recorded command, 'longpole record' adds a phase to
the run that is going on.

Examples:
  longpole record -- python train.py --epochs 3
  longpole record --name nightly -- bash pipeline.sh
  srun longpole record --into lcls -- python analyse.py
  longpole record --rate 1 --runs /scratch/me/runs -- mpirun -n 4 ./solver
  longpole record --pid 4711
"""


def record(arguments: list[str]) -> int:
    """Record the command in the arguments; return the exit code to end with."""
    try:
        options, command = parse(arguments)
    except UsageError as error:
        say(f"{error} 'longpole record --help' shows how it is used.")
        return FAILED
    if options.pids:
        return _attach(options)
    return _launch(command, options) if command else _show_help()


def _launch(command: list[str], options: RecordOptions) -> int:
    try:
        if is_inside_run() and (not (options.into or options.join) or is_below_launcher()):
            from longpole.record.joined import launch_joined

            if options.into and not _is_around(options):
                say(f"this is recorded in the run that is going on around it, and not into '{options.into}'")

            return launch_joined(command, options)
        return launch(command, options)
    except CannotRunError as error:
        say(str(error))
        return error.exit_code
    except OSError as error:
        say(f"Cannot start the command: {error.strerror or error}.")
        return FAILED


def _attach(options: RecordOptions) -> int:
    from longpole.record.attach import attach

    try:
        return attach(options)
    except AttachError as error:
        say(str(error))
        return FAILED


def _is_around(options: RecordOptions) -> bool:
    """Return whether the run that is going on around us is the one that was named."""
    from longpole.record.joint import link_name, names_folder

    runs = find_runs_folder(options.runs)
    link = os.path.join(names_folder(runs), link_name(options.into))
    return os.path.realpath(link) == os.path.realpath(os.environ.get(RUN_VARIABLE, ""))


def _show_help() -> int:
    try:
        os.write(1, HELP.encode())
    except OSError as error:
        say(f"Cannot write to standard output: {error.strerror}.")
        return FAILED
    return 0


def parse(arguments: list[str]) -> tuple[RecordOptions, list[str]]:
    """Return the options and the command; no command if it is for running processes, or help was asked for.

    Raises:
        UsageError: An option is unknown or its value unusable, or there is no command.
    """
    options = RecordOptions()
    given = []
    waiting = list(arguments)
    while waiting and waiting[0].startswith("-"):
        option = waiting.pop(0)
        if option == "--":
            break
        if option in ("--help", "-h"):
            return RecordOptions(), []
        if option in _FLAGS:
            setattr(options, _FLAGS[option], True)
            continue
        name, joined, value = option.partition("=")
        if name not in _VALUED:
            raise UsageError(f"There is no option '{option}'.")
        if not joined and not waiting:
            raise UsageError(f"Option '{name}' needs a value.")
        given.append(name)
        _VALUED[name](options, value if joined else waiting.pop(0))
    if options.pids:
        _refuse_beside_pids(given, waiting)
    elif not waiting:
        raise UsageError("There is no command to record.")
    if options.new and not options.into:
        raise UsageError("--new begins another run of a name, so it needs --into NAME.")
    return options, waiting


def _refuse_beside_pids(given: list[str], command: list[str]) -> None:
    """Refuse what has no meaning for processes that already run."""
    if command:
        raise UsageError(f"--pid records what already runs, so '{command[0]}' cannot be started with it.")
    for option in _FOR_COMMANDS:
        if option in given:
            raise UsageError(f"{option} is for a command that record starts; with --pid it has no meaning.")


def _set_name(options: RecordOptions, value: str) -> None:
    if not value.strip() or len(value) > 200:
        raise UsageError("--name needs between 1 and 200 characters.")
    options.name = value.strip()


def _set_runs(options: RecordOptions, value: str) -> None:
    if not value:
        raise UsageError("--runs needs a folder.")
    options.runs = os.path.expanduser(value)


def _set_rate(options: RecordOptions, value: str) -> None:
    options.rate_hz = _number("--rate", value, _FEWEST_HZ, _MOST_HZ)
    options.rate_fixed = True


def _set_detail(options: RecordOptions, value: str) -> None:
    if value not in DETAILS:
        raise UsageError(f"--detail is one of {', '.join(DETAILS)}, not '{value}'.")
    options.detail = value


def _add_pid(options: RecordOptions, value: str) -> None:
    if not (value.isascii() and value.isdigit() and len(value) <= _LONGEST_PID and int(value)):
        raise UsageError(f"--pid needs the number of a process, not '{value}'.")
    options.pids.append(int(value))


def _set_linger(options: RecordOptions, value: str) -> None:
    options.linger_s = _number("--linger", value, 0.0, 86400.0)


def _set_disk(options: RecordOptions, value: str) -> None:
    from longpole.units import parse_size

    options.disk_bytes = parse_size(value)
    if options.disk_bytes < 1_000_000:
        raise UsageError(f"--disk needs at least 1MB, not '{value}'.")


def _number(option: str, value: str, least: float, most: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise UsageError(f"{option} needs a number from {least:g} to {most:g}, not '{value}'.")
    return number


def _set_into(options: RecordOptions, value: str) -> None:
    if not value.strip() or len(value) > 200:
        raise UsageError("--into needs a name of between 1 and 200 characters.")
    options.into = value.strip()


def _set_join(options: RecordOptions, value: str) -> None:
    options.join = os.path.abspath(value)


def _set_task(options: RecordOptions, value: str) -> None:
    options.task = value


_FLAGS = {"--files": "files", "--new": "new"}
_VALUED = {
    "--into": _set_into,
    "--name": _set_name,
    "--runs": _set_runs,
    "--rate": _set_rate,
    "--linger": _set_linger,
    "--disk": _set_disk,
    "--detail": _set_detail,
    "--pid": _add_pid,
    # for who starts commands of a run that it has made and tells of, as our plug-in for Snakemake
    "--join": _set_join,
    "--task": _set_task,
}
