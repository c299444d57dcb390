"""Commands by click: each is a module, imported when it is called; click's errors become ours."""

from __future__ import annotations

from importlib import import_module

import click

from longpole.app.menu import NAMES, close_to, help_text
from longpole.errors import UsageError

COMPLETION = "_LONGPOLE_COMPLETE"


# Commands that cannot be the name of a module.
_MODULES = {"import": "imports"}


def run_command(arguments: list[str]) -> int:
    """Run one command; return its exit code.

    Raises:
        UsageError: The command or its arguments cannot be used.
        KeyboardInterrupt: The user has had enough.
    """
    try:
        with _group().make_context("longpole", list(arguments)) as context:
            return context.command.invoke(context) or 0
    except click.exceptions.Exit as request:  # --help of a command and the like end in this
        return request.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        raise _usage_error(error) from error


def complete_words() -> None:
    """Answer a shell that completes a line; this ends the process."""
    _group().main([], "longpole", complete_var=COMPLETION)


class Group(click.Group):
    """A group whose commands are modules."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of the menu."""
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load a command; 'record' is dispatched before click is loaded, and only listed here."""
        if cmd_name == "record":
            return click.Command("record", short_help="Run any command and record it.")
        if cmd_name not in NAMES:
            return None
        module = _MODULES.get(cmd_name, cmd_name)
        command: click.Command = import_module(f"longpole.app.commands.{module}").command
        return command

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the same help that is written without click."""
        return help_text().rstrip("\n")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse a command that is not there, naming those that look like it."""
        if args[0] not in NAMES:
            raise click.UsageError(f"There is no command '{args[0]}'.{close_to(args[0])}", ctx)
        return super().resolve_command(ctx, args)


def _group() -> Group:
    return Group(
        "longpole", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
    )


def _usage_error(error: click.ClickException) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "longpole"
    return UsageError(f"{' '.join(error.format_message().split())} '{path} --help' shows how it is used.")
