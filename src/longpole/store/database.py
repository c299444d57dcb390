"""DuckDB, and all we know of it: writing tables as Parquet, and asking them in SQL.

A database here lives in memory and sees the Parquet files it is given; all other files, the network,
extensions and Python's own variables are closed to it, and its configuration is locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from longpole.errors import QueryError
from longpole.model.columns import Column, Columns
from longpole.model.execution import TABLES, Table, Type

_CONFIGURATION = {
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
_SQL_TYPES = {Type.INTEGER: "BIGINT", Type.FLOAT: "DOUBLE", Type.TEXT: "VARCHAR"}
_KEPT = {
    *("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"),
    *("float", "double", "varchar"),
}
_CAST = {"boolean": "TINYINT", "hugeint": "BIGINT", "uhugeint": "BIGINT", "decimal": "DOUBLE"}
_HUGE = ("hugeint", "uhugeint")


def write_table(path: str, table: Table, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write one table as a Parquet file; a column that is not given is empty.

    Raises:
        QueryError: There is no room, or no permission.
    """
    rows = max((len(array) for array in arrays.values()), default=0)
    columns = ", ".join(
        f"CAST({_quoted(field.name) if rows and field.name in arrays else 'NULL'} AS {_SQL_TYPES[field.type]})"
        f" AS {_quoted(field.name)}"
        for field in table.fields
    )
    source = "arrays" if rows else "range(0)"
    with _sentences(), duckdb.connect(":memory:", config=_CONFIGURATION) as connection:
        if rows:
            connection.register("arrays", dict(arrays))
        connection.execute(f"COPY (SELECT {columns} FROM {source}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")


class Database:
    """Tables of one run, or of many with a column ``run`` before the others."""

    def __init__(self, files: Mapping[str, Sequence[str]], runs: Sequence[str] = ()) -> None:
        """Open the Parquet files of each table; with ``runs``, the n-th file of each is of the n-th run."""
        self._files = files
        self._runs = runs
        self._seen: set[str] = set()
        self._connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        paths = ", ".join(_text(path) for some in files.values() for path in some)
        self._connection.execute(
            f"SET allowed_paths = [{paths}]; SET temp_directory = ''; SET enable_progress_bar = false;"
            "SET enable_external_access = false; SET lock_configuration = true"
        )

    def columns(self, sql: str, parameters: Sequence[object] = ()) -> Columns:
        """Return what a statement of ours answers.

        Raises:
            QueryError: It is wrong, or a file it needs cannot be read.
        """
        self._look_at(sql)
        with _sentences():
            return _columns(self._connection.sql(sql, params=list(parameters)))

    def ask(self, sql: str, limit: int = 0) -> tuple[Columns, int]:
        """Return what a user's statement answers, at most ``limit`` rows if above 0, and how many rows there are.

        Raises:
            QueryError: It is refused, wrong, or a file it needs cannot be read.
        """
        with _sentences():
            self._check(sql)
        self._look_at(sql)
        # Within query(), DuckDB refuses what a WITH clause could do besides reading.
        asked = f"FROM query({_text(sql)})"
        with _sentences():
            answer = _columns(self._connection.sql(f"{asked} LIMIT {limit + 1}" if limit else asked))
            if not limit or answer.rows <= limit:
                return answer, answer.rows
            answer = _columns(self._connection.sql(f"{asked} LIMIT {limit}"))
            count = self._connection.execute(f"SELECT count(*) {asked}").fetchone()
            return answer, int(count[0]) if count else answer.rows

    def close(self) -> None:
        """Let the memory go."""
        self._connection.close()

    def _check(self, sql: str) -> None:
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1:
            raise QueryError(f"Give one SELECT statement, not {len(statements)}.")
        if statements[0].type != duckdb.StatementType.SELECT:
            kind = str(statements[0].type).rpartition(".")[2]
            raise QueryError(f"Runs are read-only: give a SELECT statement, not {kind}.")

    def _look_at(self, sql: str) -> None:
        """Make views of the tables a statement may name; opening a file takes time."""
        lowered = sql.lower()
        for name in self._files:
            if name in lowered and name not in self._seen:
                with _sentences():
                    self._connection.execute(f"CREATE VIEW {_quoted(name)} AS {self._view(name)}")
                self._seen.add(name)

    def _view(self, name: str) -> str:
        paths = ", ".join(_text(path) for path in self._files[name])
        if not self._runs:
            return f"FROM read_parquet([{paths}])"
        pairs = zip(self._files[name], self._runs, strict=True)
        rows = ", ".join(f"({_text(path)}, {_text(run)})" for path, run in pairs)
        return (
            f"SELECT l.run, t.* EXCLUDE (filename) FROM read_parquet([{paths}], filename = true) t"
            f" JOIN (VALUES {rows}) l(path, run) ON l.path = t.filename"
        )


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn an error of DuckDB into a sentence of ours."""
    try:
        yield
    except duckdb.Error as error:
        raise QueryError(_sentence(error)) from error


def _sentence(error: duckdb.Error) -> str:
    text = str(error).split("\nLINE ")[0].replace("\n", " ").strip()
    if isinstance(error, duckdb.PermissionException):
        return f"A query sees the tables of its run and nothing else. ({text})"
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return f"{text.rstrip('.')}. The tables are {', '.join(TABLES)}; --tables shows their columns."
    return text


def _columns(relation: Any) -> Columns:  # noqa: ANN401  a DuckDBPyRelation
    try:
        found = relation.project(_projection(relation, _CAST)).fetchnumpy()
    except duckdb.ConversionException:
        casts = {**_CAST, **dict.fromkeys(_HUGE, "DOUBLE")}
        found = relation.project(_projection(relation, casts)).fetchnumpy()
    names = _distinct(relation.columns)
    return Columns({name: _column(array) for name, array in zip(names, found.values(), strict=True)})


def _projection(relation: Any, casts: Mapping[str, str]) -> str:  # noqa: ANN401
    """Return the columns as Columns can hold them: numbers as they are, all else as text."""
    kinds = [kind.id for kind in relation.types]
    return ", ".join(
        f"#{at}" + ("" if kind in _KEPT else f"::{casts.get(kind, 'VARCHAR')}") + f" AS c{at}"
        for at, kind in enumerate(kinds, start=1)
    )


def _column(array: NDArray[Any]) -> Column:
    known = None
    if isinstance(array, np.ma.MaskedArray):
        known = memoryview((~np.ma.getmaskarray(array)).astype(np.uint8))  # type: ignore[no-untyped-call]
        array = array.data
    if array.dtype != object:
        return Column(memoryview(np.ascontiguousarray(array)), known=known)
    words: dict[str, int] = {}
    codes = np.fromiter((words.setdefault(word, len(words)) for word in array.tolist()), np.int32, len(array))
    return Column(memoryview(codes), words=tuple(word or "" for word in words) or ("",), known=known)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which none occurs twice."""
    found: dict[str, None] = {}
    for name in names:
        fresh, turn = name, 1
        while fresh in found:
            fresh, turn = f"{name}_{turn}", turn + 1
        found[fresh] = None
    return list(found)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
