"""The menu of commands: what each does in a line, and where it lives until it is called.

Help is written from this table alone, so asking for it loads no command and none of their libraries.
"""

from __future__ import annotations

from importlib import import_module

import click

# Section, then command and what it does. 'record' is dispatched before any of this is loaded.
MENU = {
    "Record": {
        "record": "Run any command and record where its time goes.",
    },
    "Look": {
        "show": "One run in one screen.",
        "query": "Ask a run, or all runs, in SQL.",
        "export": "Write a run as CSV, Parquet or a Perfetto trace.",
    },
    "Keep house": {
        "ls": "List the runs.",
        "rm": "Remove runs.",
        "gc": "Remove old runs.",
        "doctor": "What this machine lets Longpole see, and how to see more.",
    },
}
NAMES = tuple(name for section in MENU.values() for name in section)

INTRODUCTION = "Find out where the time of a workflow goes."
EXAMPLES = """\
Examples:
  longpole record -- python train.py    Run it, unchanged, and leave a run.
  longpole show                         See where its time went.
  longpole query latest "FROM phases"   Ask it anything.
  longpole help record                  How one command is used.
"""


class Menu(click.Group):
    """A group whose commands are modules, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of the menu."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load a command; 'record' has its own way and is none of click's."""
        if cmd_name not in NAMES or cmd_name == "record":
            return None
        command: click.Command = import_module(f"longpole.app.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse a command that is not there, naming those that look like it."""
        if args[0] not in NAMES:
            raise click.UsageError(f"There is no command '{args[0]}'.{_close_to(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole help: sections of commands, options, examples."""
        formatter.write_usage("longpole", "COMMAND [ARGUMENT...]")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(INTRODUCTION)
        for section, commands in MENU.items():
            with formatter.section(section):
                formatter.write_dl([(f"{name:<8}", text) for name, text in commands.items()])
        self.format_options(ctx, formatter)
        formatter.write("\n" + EXAMPLES)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options alone; click would list the commands here too."""
        click.Command.format_options(self, ctx, formatter)


def _close_to(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, NAMES)
    return f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
