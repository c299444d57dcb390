r"""Quotes of a shell: which of them surround a position in a command line, and how a text gets through them.

A small part of the grammar of POSIX shells is followed: quotes, backslashes, comments, here-documents and
``$(...)`` within double quotes. Where one goes beyond (backquotes, ``$'...'``, quotes within ``${...}``,
a quote that never ends) nothing is guessed: then only texts that need no quoting get through.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from enum import StrEnum

from longpole.model.text import visible
from longpole.model.workflow import WorkflowError


class Quotes(StrEnum):
    """What surrounds a position in a command line."""

    BARE = "none"
    SINGLE = "single quotes"
    DOUBLE = "double quotes"
    VERBATIM = "a here-document"
    EXPANDED = "a here-document in which variables are replaced"
    COMMENT = "a comment"
    UNSURE = "quotes that we cannot tell"


_BEYOND = re.compile(r"`|\$['\"]|\$\{[^}]*['\"\\]")
# A calculation, $((1 + 2)): a shell looks into what stands in it once more.
_SUM = r"(?P<sum>\$\(\([^()'\"\\]*(?:\([^()'\"\\]*\)[^()'\"\\]*)*\)\))"
_BARE = re.compile(
    _SUM + r"|(?P<single>'[^']*')|(?P<escape>\\.)|(?P<double>\")|(?P<comment>(?<![^\s;&|()])\#[^\n]*)"
    r"|(?P<text><<<)|(?P<here><<(?P<dash>-?)[ \t]*(?P<mark>'[^'\n]+'|\"[^\"\n]+\"|\w[\w.-]*)(?=[\s;&|<>]|$))"
    r"|(?P<line>\n)|(?P<open>\()|(?P<close>\))|(?P<broken>['\\]|<<|\$\(\()",
    re.DOTALL,
)
_DOUBLE = re.compile(_SUM + r"|(?P<escape>\\.)|(?P<end>\")|(?P<broken>\$\(\()|(?P<inner>\$\()", re.DOTALL)
Region = tuple[int, int, Quotes]


def regions(command: str) -> list[Region]:
    """Return where in a command something surrounds what is written: begin, end and what it is."""
    # The parentheses of 'case' have no match, so that nobody could tell where $( ends.
    if _BEYOND.search(command) or ("esac" in command and "$(" in command):
        return [(0, len(command), Quotes.UNSURE)]
    try:
        return sorted(_Scan(command).found())
    except ValueError:
        return [(0, len(command), Quotes.UNSURE)]


def surrounding(found: list[Region], position: int) -> Quotes:
    """Return what surrounds a position: the innermost region that it lies in."""
    inside = [region for region in found if region[0] <= position < region[1]]
    return max(inside, key=lambda region: (region[0], -region[1]))[2] if inside else Quotes.BARE


def quoted(text: str, around: Quotes) -> str:
    r"""Return what to write into a command, within these quotes, for a shell to see a text.

    Raises:
        WorkflowError: It cannot be written there.

    Examples:
        >>> quoted("it's", Quotes.BARE), quoted("it's", Quotes.SINGLE), quoted("it's", Quotes.DOUBLE)
        ('\'it\'"\'"\'s\'', "it'\\''s", "it's")
    """
    if "\0" in text:
        raise WorkflowError(f"'{visible(text)}' has a NUL in it; no command takes that.")
    if around is Quotes.BARE:
        return shlex.quote(text)
    if around is Quotes.SINGLE:
        return text.replace("'", "'\\''")
    if around is Quotes.DOUBLE:
        return re.sub(r'([\\"$`])', r"\\\1", text)
    return _within(text, around)


def _within(text: str, around: Quotes) -> str:
    if around is Quotes.UNSURE and shlex.quote(text) != text:
        raise WorkflowError(
            f"'{visible(text)}' needs quotes, and the command is written so that we cannot tell which it has "
            "already. Move what is complicated in it into a script of its own."
        )
    if "\n" in text:
        raise WorkflowError(f"'{visible(text)}' has a line break, which cannot be put into {around}.")
    return re.sub(r"([\\$`])", r"\\\1", text) if around is Quotes.EXPANDED else text


class _Scan:
    """One way through a command; ``ValueError`` where its quotes cannot be followed."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.position = 0
        self.awaited: list[re.Match[str]] = []

    def found(self) -> Iterator[Region]:
        yield from self._bare(nested=0)
        if self.awaited:
            raise ValueError("a here-document has no end")

    def _bare(self, *, nested: int) -> Iterator[Region]:
        """Go through what no quotes surround; ``nested``: up to the parenthesis that ends it."""
        depth = 0
        while token := _BARE.search(self.command, self.position):
            self.position = token.end()
            kind = token.lastgroup
            if kind == "broken":
                raise ValueError("a quote has no end")
            depth += (kind == "open") - (kind == "close")
            if kind == "close" and depth < 0 and nested:
                return
            yield from self._token(kind, token, nested)
        if nested:
            raise ValueError("a parenthesis has no end")
        self.position = len(self.command)

    def _token(self, kind: str | None, token: re.Match[str], nested: int) -> Iterator[Region]:
        if kind == "sum":
            yield token.start(), token.end(), Quotes.UNSURE
        elif kind == "single":
            yield token.start(), token.end(), Quotes.SINGLE
        elif kind == "comment":
            yield token.start(), token.end(), Quotes.COMMENT
        elif kind == "double":
            yield from self._double(token.start(), nested)
        elif kind == "here":
            if nested:
                raise ValueError("a here-document within quotes")
            self.awaited.append(token)
        elif kind == "line":
            yield from self._documents()

    def _double(self, begin: int, nested: int) -> Iterator[Region]:
        inner: list[Region] = []
        while token := _DOUBLE.search(self.command, self.position):
            self.position = token.end()
            if token.lastgroup == "end":
                yield begin, self.position, Quotes.DOUBLE
                yield from inner
                return
            if token.lastgroup == "broken":
                raise ValueError("a calculation has no end")
            if token.lastgroup == "sum":
                inner.append((token.start(), token.end(), Quotes.UNSURE))
            if token.lastgroup == "inner":
                if nested > 8:
                    raise ValueError("quotes are nested too deep")
                start = self.position
                deeper = list(self._bare(nested=nested + 1))
                inner += [(start, self.position, Quotes.BARE), *deeper]
        raise ValueError("a quote has no end")

    def _documents(self) -> Iterator[Region]:
        """Go through the here-documents that begin at this line."""
        for token in self.awaited:
            mark, tabs = token["mark"].strip("'\""), r"\t*" if token["dash"] else ""
            end = re.compile(rf"^{tabs}{re.escape(mark)}$", re.MULTILINE).search(self.command, self.position)
            if end is None:
                raise ValueError("a here-document has no end")
            verbatim = token["mark"] != mark
            if token["dash"]:  # tabs at the beginning of a line would be taken away, those of a name too
                yield self.position, end.start(), Quotes.UNSURE
                self.position = end.end()
                continue
            if not verbatim and "$(" in self.command[self.position : end.start()]:
                raise ValueError("a here-document has commands in it")
            yield self.position, end.start(), Quotes.VERBATIM if verbatim else Quotes.EXPANDED
            self.position = end.end()
        self.awaited = []
