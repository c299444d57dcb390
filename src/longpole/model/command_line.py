r"""Command lines: how names of files, members and parameters come into them, with a shell or without one.

Only declared names are replaced, ``{src}`` and ``{src.list}``; every other brace stays as it is, and so do
``${src}`` and ``\{src}``. What a name stands for arrives in the command exactly, whatever quotes it is in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from longpole.model.quoting import Quotes, quoted, regions, surrounding

Value = str | Sequence[str]
_PLACES = re.compile(r"(?<![\\$])\{([^\W\d]\w*(?:\.list)?)\}")
# No shell reads more into these than a program would.
_PLAIN = re.compile(r"[\w@%+=:,./ \t-]*", re.ASCII)
_ASSIGNMENT = re.compile(r"\w+\+?=.*")
_OF_THE_SHELL = frozenset([
    ".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen",
    "complete", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else",
    "enable", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "for", "function", "getopts",
    "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
    "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "shift", "shopt",
    "source", "suspend", "test", "then", "time", "times", "trap", "type", "typeset", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
])  # fmt: skip


class CommandLine:
    """A command line that is filled many times.

    Attributes:
        names: The declared names that it holds.
    """

    __slots__ = ("_literals", "_plain", "_quotes", "names")

    def __init__(self, command: str, declared: Collection[str]) -> None:
        """Take a command, and the names that are replaced in it."""
        found, begin = regions(command), 0
        self._literals: list[str] = []
        self._quotes: list[tuple[str, Quotes]] = []
        for place in _PLACES.finditer(command):
            around = surrounding(found, place.start())
            if place[1] in declared and around is not Quotes.COMMENT:
                self._literals.append(command[begin : place.start()])
                self._quotes.append((place[1], around))
                begin = place.end()
        self._literals.append(command[begin:])
        self._plain = _words(self._literals, [name for name, _ in self._quotes])
        self.names = frozenset(name for name, _ in self._quotes)

    def fill(self, values: Mapping[str, Value]) -> str:
        """Return the text for a shell; several values stand beside each other.

        Raises:
            WorkflowError: A value cannot be written where its name stands.
        """
        text = [self._literals[0]]
        for (name, around), after in zip(self._quotes, self._literals[1:], strict=True):
            value = values[name]
            each = (value,) if isinstance(value, str) else value
            text.append(" ".join([quoted(one, around) for one in each]))
            text.append(after)
        return "".join(text)

    def words(self, values: Mapping[str, Value]) -> list[str] | None:
        """Return the words to execute without a shell; None if the command asks for one."""
        if self._plain is None:
            return None
        words: list[str] = []
        for pieces in self._plain:
            words += _filled(pieces, values)
        # A bare first word could still be something of the shell's own.
        return words if words and ("/" in words[0] or not isinstance(self._plain[0][0], _Name)) else None


def command_text(command: str, values: Mapping[str, Value]) -> str:
    """Return a command for a shell, in which the names that there are values for are replaced.

    Examples:
        >>> command_text("awk '{print $1}' {src} > {out}", {"src": ["a b", "c"], "out": "d.txt"})
        "awk '{print $1}' 'a b' c > d.txt"
    """
    return CommandLine(command, values.keys()).fill(values)


def plain_words(command: str) -> list[str] | None:
    """Return the words of a command that asks for nothing of a shell, None if it does.

    Examples:
        >>> (
        ...     plain_words("wc -c a.txt"),
        ...     plain_words("wc -c *.txt"),
        ...     plain_words("X=1 env"),
        ...     plain_words("cd /tmp"),
        ... )
        (['wc', '-c', 'a.txt'], None, None, None)
    """
    return CommandLine(command, ()).words({})


def plain_text(text: str, values: Mapping[str, Value]) -> str:
    r"""Return a text that no shell will see, such as a variable's, in which names are replaced as they are.

    Examples:
        >>> plain_text('{"tile": "{tile}", "x": {}}', {"tile": "it's"})
        '{"tile": "it\'s", "x": {}}'
    """

    def value(place: re.Match[str]) -> str:
        found = values.get(place[1])
        return place[0] if found is None else found if isinstance(found, str) else " ".join(found)

    return _PLACES.sub(value, text) if "{" in text else text


def bare_places(command: str) -> tuple[str, ...]:
    r"""Return the names in braces that no quotes surround, declared or not, each once.

    Examples:
        >>> bare_places("jq '{a}' {b} \"{c}\" ${d} {}")
        ('b',)
    """
    found = regions(command)
    places = (
        place for place in _PLACES.finditer(command) if surrounding(found, place.start()) is Quotes.BARE
    )
    return tuple(dict.fromkeys(place[1] for place in places))


class _Name(str):
    """A name in a word, for which a value is put."""

    __slots__ = ()


def _words(literals: Sequence[str], names: Sequence[str]) -> list[list[str]] | None:
    """Return the words of a command as pieces, text and names; None if it is not plain."""
    literals = [literals[0].lstrip(), *literals[1:]]
    literals[-1] = literals[-1].rstrip()
    if not all(_PLAIN.fullmatch(literal) for literal in literals):
        return None
    words: list[list[str]] = [[]]
    for place, literal in enumerate(literals):
        first, *rest = re.split(r"[ \t]+", literal)
        words[-1] += [first] if first else []
        words += [[part] if part else [] for part in rest]
        words[-1] += [_Name(names[place])] if place < len(names) else []
    words = [word for word in words if word]
    start = words[0][0] if words else ""
    if not start or (not isinstance(start, _Name) and (start in _OF_THE_SHELL or _ASSIGNMENT.match(start))):
        return None
    return words


def _filled(pieces: Sequence[str], values: Mapping[str, Value]) -> list[str]:
    """Return the words that one word becomes: several values part it, as a shell would."""
    words, some = [""], False
    for piece in pieces:
        value = values[piece] if isinstance(piece, _Name) else piece
        each = (value,) if isinstance(value, str) else value
        some = some or bool(each)
        words[-1] += each[0] if each else ""
        words += each[1:]
    return words if some else []
