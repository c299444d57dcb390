"""Users' SQL: it reads the tables of its run, and can do nothing else."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from longpole.errors import LongpoleError, QueryError
from longpole.store.asking import ask_run, ask_runs
from longpole.store.run import StoredRun
from longpole.store.sealed import sealed
from tests.builders import small_run

SERIALIZED = "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('%s'))"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> StoredRun:
    return small_run(tmp_path_factory.mktemp("runs")).open()


def state_of(folder: Path) -> dict[str, str]:
    """Return a checksum of every file below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def refused(run: StoredRun, sql: str) -> str:
    with pytest.raises(QueryError) as caught:
        ask_run(run, sql)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_select_is_answered_with_exact_numbers(run):
    answer = ask_run(
        run, "SELECT sum(duration_ns) AS total, max(start_ns) AS last, count(*) AS n FROM phases"
    )

    assert list(answer.columns.records()) == [
        {"total": 2_760_000_000, "last": 1_790_000_000_410_000_000, "n": 6}
    ]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("FROM hosts SELECT name", ["node"]),
        ("WITH x AS (SELECT 1 AS a) SELECT a FROM x", [1]),
        ("VALUES (1), (2)", [1, 2]),
        ("SELECT 'it''s' -- a comment", ["it's"]),
        ("SELECT true", [1]),
        ("SELECT 1.5::DECIMAL(9, 2)", [1.5]),
        ("SELECT NULL", [None]),
        ("SELECT [1, 2]", ["[1, 2]"]),
        ("SELECT DATE '2026-01-31'", ["2026-01-31"]),
        ("SELECT 170141183460469231731687303715884105727", [1.7014118346046923e38]),
        ("SELECT name FROM (DESCRIBE hosts) JOIN hosts ON column_name = 'id'", ["node"]),
        ("SELECT count(*) FROM tasks", [0]),
        ("SELECT name FROM phases WHERE false", []),
    ],
)
def test_answers_are_numbers_or_text(run, sql, expected):
    (column,) = ask_run(run, sql).columns.values()

    assert list(column) == expected


def test_columns_of_one_name_are_told_apart(run):
    assert list(ask_run(run, "SELECT 1 AS a, 2 AS a, 3 AS a_1").columns) == ["a", "a_1", "a_1_1"]


def test_a_limit_says_how_many_rows_there_are(run):
    answer = ask_run(run, "SELECT id FROM phases ORDER BY id DESC", limit=2)

    assert (list(answer.columns["id"]), answer.total_rows) == ([6, 5], 6)
    assert ask_run(run, "FROM phases", limit=6).total_rows == 6


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "SELECT 1; SELECT 2",
        "COPY phases TO '/tmp/x.csv'",
        "COPY (SELECT 1) TO '/tmp/x.parquet'",
        "ATTACH '/tmp/x.db'",
        "ATTACH ':memory:' AS other",
        "PRAGMA database_list",
        "SET memory_limit = '1GB'",
        "RESET memory_limit",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CREATE TABLE x (a INTEGER)",
        "CREATE VIEW x AS SELECT 1",
        "CREATE MACRO f() AS 1",
        "DROP VIEW phases",
        "INSERT INTO phases VALUES (1)",
        "UPDATE phases SET id = 1",
        "DELETE FROM phases",
        "EXPORT DATABASE '/tmp/x'",
        "CALL pragma_version()",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "PREPARE p AS SELECT 1",
        "USE memory",
        "EXPLAIN SELECT 1",
        "WITH x AS (INSERT INTO phases VALUES (1)) SELECT 1",
        "WITH x AS (COPY (SELECT 1) TO '/tmp/x.parquet') SELECT 1",
    ],
)
def test_all_but_one_select_is_refused(run, sql):
    assert refused(run, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/proc/self/environ')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('/tmp/*.parquet')",
        "SELECT * FROM read_parquet('http://localhost/x.parquet')",
        "SELECT * FROM 's3://bucket/x.parquet'",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM glob('/proc/self/fd/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM parquet_metadata('/etc/passwd')",
        "SELECT * FROM read_text('/proc/self/fd/0')",
        "SELECT getenv('HOME')",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM enable_logging(storage = 'file', storage_path = '/tmp/x')",
        "SELECT * FROM enable_profiling(save_location = '/tmp/x')",
        "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
        "SELECT * FROM query('COPY phases TO ''/tmp/x''')",
        SERIALIZED % "SELECT * FROM read_text(''/etc/passwd'')",
        "SELECT * FROM some_python_variable",
    ],
)
def test_nothing_beyond_the_run_can_be_reached(run, sql):
    some_python_variable = {"a": [1]}

    assert refused(run, sql)
    assert some_python_variable


@pytest.mark.parametrize(
    "wrap",
    [
        "{copy}",
        "WITH x AS ({copy}) SELECT 1 FROM phases",
        "SELECT * FROM query('WITH x AS ({quoted}) SELECT 1 FROM phases')",
        SERIALIZED % "WITH x AS ({quoted}) SELECT 1 FROM phases",
    ],
)
def test_the_runs_own_tables_cannot_be_overwritten(run, wrap):
    ask_run(run, "FROM phases")
    before = state_of(run.path)
    files = [*run.tables.files()["phases"], *(f"/proc/self/fd/{number}" for number in range(3, 30))]

    for file in files:
        copy = f"COPY (SELECT 1 AS a) TO '{file}' (FORMAT parquet, USE_TMP_FILE false)"
        with pytest.raises(QueryError):
            ask_run(run, wrap.format(copy=copy, quoted=copy.replace("'", "''")))

    assert state_of(run.path) == before


def test_a_refusal_says_what_to_do(run):
    assert refused(run, "DROP TABLE phases") == "Runs are read-only: give a SELECT statement, not DROP."
    assert refused(run, "SELECT 1; SELECT 2") == "Give one SELECT statement, not 2."
    assert "nothing else" in refused(run, "SELECT * FROM read_text('/etc/passwd')")


def test_an_unknown_table_or_column_names_those_there_are(run):
    for sql in ("FROM nosuch", "SELECT nosuch FROM phases"):
        text = refused(run, sql)
        assert "nosuch" in text
        assert "tasks, phases, edges, processes" in text
        assert "\n" not in text


def test_all_runs_are_asked_at_once_and_told_apart(tmp_path):
    paths = [small_run(tmp_path, identity=identity).path for identity in ("aaaa", "bbbb")]

    answer = ask_runs(paths, "SELECT run, count(*) AS n FROM phases GROUP BY run ORDER BY run")

    assert list(answer.columns.records()) == [{"run": "aaaa", "n": 6}, {"run": "bbbb", "n": 6}]
    assert (answer.runs, answer.skipped) == (2, ())


def test_a_run_that_cannot_be_read_is_skipped_and_said(tmp_path):
    sound, newer = small_run(tmp_path, identity="aaaa"), small_run(tmp_path, identity="bbbb")
    newer.save(schema_version=9)

    answer = ask_runs([sound.path, newer.path], "SELECT DISTINCT run FROM phases")

    assert list(answer.columns["run"]) == ["aaaa"]
    assert "Upgrade" in answer.skipped[0]


def test_no_run_to_ask_is_said(tmp_path):
    with pytest.raises(QueryError, match="no run to ask"):
        ask_runs([], "FROM phases")


def test_sealed_copies_cannot_be_changed(tmp_path):
    (tmp_path / "file").write_bytes(b"truth")

    with sealed([str(tmp_path / "file")]) as (copy,):
        assert Path(copy).read_bytes() == b"truth"
        descriptor = os.open(copy, os.O_RDWR)
        for change in (lambda: os.write(descriptor, b"x"), lambda: os.ftruncate(descriptor, 0)):
            with pytest.raises(PermissionError):
                change()
        os.close(descriptor)
    assert not os.path.exists(copy)


def test_a_missing_table_file_is_a_sentence(tmp_path):
    with pytest.raises(LongpoleError, match="Cannot bring"), sealed([str(tmp_path / "nosuch")]):
        pass
