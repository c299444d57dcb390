"""The menu of commands: what each does in a line. Help is written from it, and nothing is loaded for that."""

from __future__ import annotations

INTRODUCTION = "Find out where the time of a workflow goes."

# Section, then command and what it does; 'longpole.app.commands' has a module for each but 'record'.
MENU = {
    "Run": {
        "plan": "What a workflow would run, and what it would move.",
        "run": "Run a workflow, and record all of it.",
        "status": "Where a workflow stands that runs, or ran.",
    },
    "Record": {
        "record": "Run any command and record where its time goes.",
        "import": "Make a run of what another system has recorded.",
        "merge": "Make one run of the parts that several nodes have recorded.",
    },
    "Look": {
        "show": "One run in one screen.",
        "explain": "Where the time went, what bounds it, and which change gains most.",
        "table": "Runs as a table: what each kind of job used, or as a paper has it.",
        "roofline": "What bounds a run or a plan on a machine, and how far it is from the roof.",
        "compare": "Groups of runs side by side: what differs, and how sure that is.",
        "query": "Ask a run, or all runs, in SQL.",
        "machine": "What a machine does at best: measure this one, or show one that is known.",
        "export": "Write a run as CSV, Parquet, a Perfetto trace or WfFormat.",
    },
    "Keep house": {
        "ls": "List the runs.",
        "rm": "Remove runs.",
        "gc": "Remove old runs.",
        "doctor": "What this machine lets a recording see, and how to see more.",
    },
}
NAMES = tuple(name for section in MENU.values() for name in section)

_OPTIONS = {"-h, --help": "Show this text.", "--version": "Show the version."}
_EXAMPLES = """\
Examples:
  longpole record -- python train.py    Run it, unchanged, and leave a run.
  longpole show                         See where its time went.
  longpole query latest "FROM phases"   Ask it anything.
  longpole help record                  See how one command is used.
"""


def help_text() -> str:
    """Return the help of the whole tool."""
    parts = [f"Usage: longpole COMMAND [ARGUMENT...]\n\n  {INTRODUCTION}\n"]
    for section, lines in {**MENU, "Options": _OPTIONS}.items():
        parts.append(f"{section}:\n" + "".join(f"  {name:<10}  {text}\n" for name, text in lines.items()))
    return "\n".join([*parts, _EXAMPLES])


def close_to(name: str) -> str:
    """Return which commands may have been meant, as the rest of a sentence; empty if none comes close."""
    from difflib import get_close_matches

    close = get_close_matches(name, NAMES)
    return f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
