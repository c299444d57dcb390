"""YAML files: values know their lines, nothing is constructed, what cannot be read gets a sentence."""

from __future__ import annotations

import os

import pytest

from longpole.describe.lined import LinedMap
from longpole.describe.yaml_file import parse_yaml, read_yaml, yaml_value
from longpole.model.workflow import WorkflowError


def sentence(text: str) -> str:
    with pytest.raises(WorkflowError) as caught:
        parse_yaml(text, "x.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def unreadable(path) -> str:
    with pytest.raises(WorkflowError) as caught:
        read_yaml(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_keys_and_items_know_their_lines():
    values = parse_yaml("a: 1\nb:\n  - x\n  -\n    c: 2\n", "x.yaml")

    assert values == {"a": 1, "b": ["x", {"c": 2}]}
    assert values.lines == {"a": 1, "b": 2}
    assert values["b"].lines == [3, 5]  # type: ignore[attr-defined]
    assert values["b"][1].lines == {"c": 5}  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("007", "007"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2024-01-31", "2024-01-31"),
        ("0x10", "0x10"),
        ("1e-4", 1e-4),
        ("-3", -3),
        ("0.50", 0.5),
        ("true", True),
        ("~", None),
        ("'3'", "3"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("9" * 5000, "9" * 5000),
        ("!!str 3", "3"),
        ("=", "="),
    ],
)
def test_words_without_quotes_mean_what_people_expect(text, value):
    found = yaml_value(text, "x")

    assert (found, type(found) is bool) == (value, type(value) is bool)


def test_a_number_with_a_point_remembers_how_it_was_written():
    assert str(yaml_value("0.10", "x")) == "0.10"


def test_what_an_anchor_names_can_be_repeated_and_merged():
    values = parse_yaml("a: &x {k: 1, l: 2}\nb: *x\nc:\n  <<: *x\n  k: 3\nd: {<<: [*x, {m: 4}]}\n", "x.yaml")

    assert values["b"] == {"k": 1, "l": 2}
    assert values["c"] == {"k": 3, "l": 2}
    assert values["d"] == {"k": 1, "l": 2, "m": 4}


def test_aliases_that_would_fill_the_memory_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]

    assert sentence("\n".join(lines)).startswith("x.yaml:7: Aliases repeat so much here")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x [*x]", "x.yaml:1: '*x' stands within what it repeats."),
        ("a: 1\nb: *q", "x.yaml:2: There is no anchor '&q' before this."),
        ("a: 1\na: 2", "x.yaml:2: The key 'a' is here a second time; keep one."),
        ("a:\n\tb: 1", "x.yaml:2: A tab indents this line; YAML wants blanks."),
        (
            "a: !!python/object/apply:os.system [id]",
            "x.yaml:1: Tags such as 'tag:yaml.org,2002:python/object/",
        ),
        ("a: !x 1", "x.yaml:1: Tags such as '!x' are not read; leave it out."),
        ("a: 1\n---\nb: 2", "x.yaml:2: A second document begins here ('---'); keep one in a file."),
        ("a: b: c", "Put texts with ': ' in quotes."),
        ("a: [tiles/{tile}.png]", "Put texts with braces in quotes."),
        ("a: {tile}.png", "Put texts with braces in quotes."),
        ("? [a]\n: b", "x.yaml:1: A key must be a single text."),
        ("a: {<<: 3}", "x.yaml:1: '<<' takes a map, such as *defaults, not the number 3."),
        ("", "x.yaml: A workflow is a map of keys, not nothing."),
        ("- a", "x.yaml: A workflow is a map of keys, not a list."),
        ("a: \x01", "x.yaml is not YAML: it has characters that no text has."),
        ("a: " + "[" * 100_000, "x.yaml:1: This is nested too deep."),
        ("a: " + "{b: " * 100_000, "x.yaml:1: This is nested too deep."),
        ("a: 'x", "x.yaml:1: This is not YAML: found unexpected end of stream"),
    ],
)
def test_what_is_no_description_gets_one_sentence_with_its_line(text, said):
    assert said in sentence(text)


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfname: gr\xc3\xb6\xc3\x9fe\r\n")

    assert read_yaml(tmp_path / "a.yaml") == {"name": "größe"}
    assert isinstance(read_yaml(tmp_path / "a.yaml"), LinedMap)


def test_what_is_no_file_of_text_does_not_hold_us_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "latin").write_bytes(b"a: 1\nb: \xf6\n")
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(50_000_001)

    assert unreadable(tmp_path / "nosuch").endswith("No such file or directory.")
    assert unreadable(tmp_path).endswith("it is a folder.")
    assert unreadable(tmp_path / "pipe").endswith("it is not a file.")
    assert unreadable(tmp_path / "latin").endswith("it is not UTF-8 text at line 2.")
    assert "larger than 50 MB" in unreadable(tmp_path / "huge")
