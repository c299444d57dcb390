from __future__ import annotations

import io

from longpole.model.permission import Permission
from longpole.present.permissions import show_permissions
from longpole.present.terminal import terminal


def shown(*permissions):
    stream = io.StringIO()
    console = terminal(stream)
    console.width = 80
    show_permissions(permissions, console)
    return stream.getvalue()


def test_what_is_missing_comes_with_what_it_adds_and_what_to_do():
    text = shown(
        Permission("exit records", False, "Operation not permitted", "every process", "Run as root.")
    )

    assert text.splitlines()[1].endswith("Operation not permitted")
    assert "Every process." in text
    assert "Run as root." in text


def test_what_is_there_needs_no_more_words():
    text = shown(Permission("pressure", True, "/proc/pressure", "waiting"))

    assert "/proc/pressure" in text
    assert "Not here" not in text


def test_no_line_is_wider_than_the_terminal():
    text = shown(Permission("a name", False, "f" * 200, "a" * 200, "r" * 200))

    assert max(map(len, text.splitlines())) <= 80
