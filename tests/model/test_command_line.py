"""Command lines: a real shell gets exactly the names that were meant, and no other brace is touched."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longpole.model.command_line import CommandLine, command_text, plain_text, plain_words
from longpole.model.workflow import WorkflowError

NAMES = st.text(
    st.characters(exclude_characters="\0\n", codec="utf-8"), min_size=1, max_size=12
) | st.sampled_from(
    [
        "a b",
        "it's",
        '"',
        "\\",
        "$HOME",
        "$(id)",
        "`id`",
        "; id",
        "-n",
        "ü",
        "*",
        "#",
        "~",
        "{src}",
        "<<EOF",
        "EOF",
    ]
)
# Each writes one or more words, ended by NUL; what {x} stands for is among them.
SNIPPETS = {
    r"printf '%s\0' {x};": 1,
    r"printf '%s\0' '{x}';": 1,
    r"printf '%s\0' " + '"{x}";': 1,
    r"printf '%s\0' " + "\"$(printf '%s.' '{x}' | sed 's/\\.$//')\";": 1,
    r"printf '%s\0' " + '"$(printf %s {x})";': 1,
    r"printf '%s\0' $(printf %s ok) {x};": 2,
    "# don't mind {x}\n": 0,
    r"printf '%s\0' it\'s {x};": 2,
    "tr '\\n' '\\0' <<'EOF'\n{x}.\nEOF\n": 3,
    r"printf '%s\0' $(( (1 + 2) * 3 )) '{print $1}' ${HOME:+h} {};": 4,
}


def shell(text: str) -> list[str]:
    done = subprocess.run(
        ["sh", "-c", text], capture_output=True, check=True, env={"HOME": "/root", "PATH": "/usr/bin:/bin"}
    )
    return done.stdout.decode().split("\0")[:-1]


def expected(snippet: str, name: str) -> list[str]:
    return {
        0: [],
        1: [name],
        2: ["ok" if "ok" in snippet else "it's", name],
        3: [f"{name}."],
        4: ["9", "{print $1}", "h", "{}"],
    }[SNIPPETS[snippet]]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(sorted(SNIPPETS)), max_size=5), NAMES)
@example(sorted(SNIPPETS), "it's \\ \" $(x) `y` ü")
def test_a_shell_sees_exactly_the_name_whatever_quotes_stand_around_it(snippets, name):
    text = command_text("\n".join(snippets), {"x": name})

    assert shell(text) == [word for snippet in snippets for word in expected(snippet, name)]


def test_a_document_that_loses_its_tabs_takes_plain_names_only():
    command = "cat <<-E\n\t{x}\n\tE\n"

    assert command_text(command, {"x": "plain.txt"}) == "cat <<-E\n\tplain.txt\n\tE\n"
    with pytest.raises(WorkflowError, match="needs quotes"):
        command_text(command, {"x": "\t"})


@settings(max_examples=60)
@given(st.lists(NAMES, max_size=6))
def test_several_names_stand_beside_each_other(names):
    assert shell(command_text(r"printf '%s\0' {x} .", {"x": names})) == [*names, "."]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["{x}", "--in={x}", "{x}{y}", "plain", "a{y}b"]), min_size=1, max_size=4),
    st.lists(NAMES, max_size=3),
    NAMES | st.just(""),
)
def test_words_without_a_shell_are_those_that_a_shell_makes(words, several, one):
    line = CommandLine(f"/usr/bin/printf %s. {' '.join(words)}", {"x", "y"})
    values = {"x": several, "y": one}

    direct = line.words(values)

    assert direct is not None
    text = line.fill(values).replace("/usr/bin/printf %s.", r"printf '%s\0' /usr/bin/printf %s.")
    assert shell(text) == direct


TOKENS = st.sampled_from(
    [
        "{x}",
        "'",
        '"',
        "\\",
        "$(",
        "(",
        ")",
        "#",
        "\n",
        ";",
        "<<E\n",
        "E\n",
        "<<'E'\n",
        "$((",
        "))",
        "|",
        "`",
        "${a:-",
        "esac",
    ]
)
NASTY = st.sampled_from(
    [
        "';touch C;'",
        '";touch C;"',
        "$(touch C)",
        "`touch C`",
        ";touch C",
        "' $(touch C) '",
        '\\"$(touch C)',
        "a)touch C",
    ]
)


@settings(max_examples=150)
@given(st.lists(TOKENS | st.just("{x} "), min_size=1, max_size=9), NASTY)
def test_no_name_becomes_a_command_however_odd_the_quotes_are(tokens, name):
    try:
        text = command_text(f"echo {' '.join(tokens)}", {"x": name})
    except WorkflowError:
        return

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["sh", "-c", text], cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )

        assert not Path(folder, "C").exists()


@given(st.text(st.sampled_from("{}ab$\\'\" .,\n|#<&")))
def test_a_command_without_declared_names_stays_as_it_is(command):
    assert command_text(command, {"declared": "x"}) == command
    assert plain_text(command, {"declared": "x"}) == command


@pytest.mark.parametrize(
    "command",
    [
        "awk '{print $1}'",
        "echo ${src} ${HOME}",
        "find -exec ls {} +",
        "jq '{a: .b}'",
        r"echo \{src}",
        "{srcs} { src }",
    ],
)
def test_braces_that_name_nothing_stay(command):
    assert command_text(command, {"src": "x"}) == command


def test_the_list_of_an_input_is_a_name_of_its_own():
    values = {"scores": ["a", "b c"], "scores.list": ".lists/scores"}
    line = CommandLine("xargs -rd '\\n' cat < {scores.list} > total.txt", values)

    assert line.fill(values) == "xargs -rd '\\n' cat < .lists/scores > total.txt"
    assert line.names == {"scores.list"}


@pytest.mark.parametrize(
    "command",
    [
        "echo `cat {x}`",
        "echo $'{x}'",
        "echo 'open {x}",
        "cat <<EOF\n{x}",
        "echo $(({x} + 1))",
        'echo "$(( ({x}) ))"',
        'echo "${a:-\'}{x}"',
    ],
)
def test_where_quotes_cannot_be_told_only_names_that_need_none_get_through(command):
    assert command_text(command, {"x": "plain.txt"}) == command.replace("{x}", "plain.txt")
    with pytest.raises(WorkflowError, match="Move what is complicated in it into a script"):
        command_text(command, {"x": "a b"})


def test_what_no_command_can_take_is_refused():
    with pytest.raises(WorkflowError, match="NUL"):
        command_text("echo {x}", {"x": "a\0b"})
    with pytest.raises(WorkflowError, match="line break"):
        command_text("cat <<'E'\n{x}\nE\n", {"x": "a\nb"})


@pytest.mark.parametrize(
    "command",
    [
        "a | b", "a > b", "a; b", "a & b", "a 'b'", 'a "b"', "a $b", "a *", "a ?", "a [b]", "a ~", "a=1 b",
        "a\nb", "a\\b", "cd x", ". x", "exit 3", "echo a", "if a", "a #b", "!a", "", "  ",
        "a {b,c}", "time a", "(a)", "a `b`"],
)  # fmt: skip
def test_what_asks_for_a_shell_is_not_plain(command):
    assert plain_words(command) is None


def test_plain_commands_are_executed_as_they_are():
    assert plain_words("true") == ["true"]
    assert plain_words("  python -m a.b --x=1 a/b:c@d%e,f\n") == [
        "python",
        "-m",
        "a.b",
        "--x=1",
        "a/b:c@d%e,f",
    ]


def test_a_program_is_executed_directly_if_it_has_a_path():
    line = CommandLine("{program} {x}", {"program", "x"})

    assert line.words({"program": "./run me", "x": "a"}) == ["./run me", "a"]
    assert line.words({"program": "test", "x": "a"}) is None


def test_a_variable_gets_a_text_as_it_is():
    assert plain_text("{tile}: {x}", {"tile": "it's", "x": ["a", "b"]}) == "it's: a b"
