"""``longpole query``: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import io
import json

import pytest

from tests.app.housekeeping import Desk
from tests.builders import small_run


@pytest.fixture
def desk(tmp_path, capsys) -> Desk:
    small_run(tmp_path)
    return Desk(tmp_path, capsys)


def test_an_answer_is_a_table_of_exact_numbers(desk):
    done = desk.call(
        "query", "latest", "SELECT name, start_ns, 0.25 AS part FROM phases WHERE kind = 'phase' ORDER BY id"
    )

    assert done.code == 0
    assert done.out.splitlines() == [
        "name              start_ns  part",
        "inner  1790000000200000000  0.25",
        "outer  1790000000150000000  0.25",
        "bad    1790000000410000000  0.25",
    ]


def test_the_latest_run_is_asked_if_none_is_named(desk):
    assert desk.call("query", "SELECT 7 AS n").out.splitlines() == ["n", "7"]


def test_a_statement_can_come_from_standard_input(desk, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT 7 AS n"))

    assert desk.call("query", "latest", "-").out.splitlines() == ["n", "7"]


def test_rows_beyond_the_limit_are_counted(desk):
    done = desk.call("query", "latest", "FROM phases", "--limit", "2")

    assert len(done.out.splitlines()) == 3
    assert done.err == "2 of 6 rows; --limit 0 for all\n"


def test_json_has_every_row_and_a_version(desk):
    done = json.loads(
        desk.call("query", "latest", "SELECT id, attributes FROM phases ORDER BY id", "--json").out
    )

    assert (done["schema_version"], done["columns"], done["total_rows"]) == (1, ["id", "attributes"], 6)
    assert done["rows"][4] == {"id": 5, "attributes": '{"rows": 3}'}
    assert done["rows"][0] == {"id": 1, "attributes": None}


def test_json_of_no_rows_is_json(desk):
    assert json.loads(desk.call("query", "latest", "FROM tasks", "--json").out)["rows"] == []


def test_csv_has_a_header_and_empty_cells(desk):
    out = desk.call("query", "latest", "SELECT id, parent, name FROM phases WHERE id < 3", "--csv").out

    assert out.splitlines() == ["id,parent,name", "1,,made", "2,1,p1"]


def test_control_characters_do_not_reach_the_terminal(desk):
    out = desk.call("query", "latest", "SELECT 'a' || chr(27) || '[2J' AS x").out

    assert out.splitlines() == ["x", "a\\x1b[2J"]


def test_all_runs_have_a_column_that_tells_them_apart(desk):
    newer = small_run(desk.runs, identity="feedbeef")
    broken = small_run(desk.runs, identity="deadbeef")
    broken.save(schema_version=7)

    done = desk.call("query", "--all-runs", "SELECT run, count(*) AS n FROM phases GROUP BY run ORDER BY run")

    assert done.out.splitlines() == ["run       n", "0badcafe  6", "feedbeef  6"]
    assert done.err.startswith(f"longpole: skipped {broken.path.name}: ")
    assert newer.path.is_dir()


def test_tables_are_listed_with_their_meaning(desk):
    done = desk.call("query", "--tables")
    data = json.loads(desk.call("query", "--tables", "--json").out)

    assert "phases  an interval" in done.out
    assert data["schema_version"] == 1
    assert data["tables"][1]["fields"][0] == {"name": "id", "type": "integer", "meaning": "this phase"}


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("latest", "FROM nosuch"), 2, "The tables are tasks, phases"),
        (("latest", "DROP TABLE phases"), 2, "read-only"),
        (("latest", "SELECT 1; SELECT 2"), 2, "not 2"),
        (("nosuch", "SELECT 1"), 2, "No run 'nosuch'"),
        ((), 2, "There is no SQL"),
        (("a", "b", "c"), 2, "one statement in quotes"),
        (("--all-runs", "latest", "SELECT 1"), 2, "Give one statement"),
        (("SELECT 1", "--json", "--csv"), 2, "not both"),
        (("SELECT 1", "--limit", "-1"), 2, "--limit"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence_and_a_code(desk, arguments, code, told):
    done = desk.call("query", *arguments)

    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_a_damaged_run_is_code_three(desk):
    (run,) = desk.runs.iterdir()
    for log in (run / "log").iterdir():
        log.write_bytes(b"foreign" * 100)

    done = desk.call("query", "latest", "FROM phases")

    assert done.code == 3
    assert "is not a log of Longpole" in done.err
