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

from longpole.errors import MissingLibraryError, QueryError
from longpole.model.columns import Column, Columns
from longpole.model.execution import TABLES, Table, Type
from longpole.store.derive.arrays import Part, fewer

_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
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


class Writer:
    """Writes tables as Parquet files."""

    def __init__(self) -> None:
        """Start DuckDB, once for all tables."""
        self._connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        _show_no_progress(self._connection)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def write(self, path: str, table: Table, parts: Sequence[Part]) -> None:
        """Write parts one below the other as a Parquet file; a column that is not given is empty.

        Raises:
            QueryError: There is no room, or no permission.
        """
        selections = [f"SELECT {_fields(table, {})} FROM range(0)"]
        parts = fewer(parts)
        for at, part in enumerate(parts):
            arrays = {name: values for name, values in part.items() if isinstance(values, np.ndarray)}
            if arrays and all(map(len, arrays.values())):
                self._connection.register(f"part{at}", arrays)
                selections.append(f"SELECT {_fields(table, part)} FROM part{at}")
        every = " UNION ALL ".join(selections)
        with _sentences():
            self._connection.execute(f"COPY ({every}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")
        for at in range(len(parts)):
            self._connection.unregister(f"part{at}")


class Database:
    """Tables of one run, or of many with a column ``run`` before the others."""

    def __init__(self, files: Mapping[str, Sequence[str]], runs: Sequence[str] = ()) -> None:
        """Open the Parquet files of each table; with ``runs``, the n-th file of each is of the n-th run."""
        self._files = files
        self._runs = runs
        self._seen: set[str] = set()
        self._connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        _show_no_progress(self._connection)
        paths = ", ".join(_text(path) for some in files.values() for path in some)
        self._connection.execute(
            f"SET allowed_paths = [{paths}]; SET temp_directory = '';"
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
        """Return what a user's statement answers, at most ``limit`` rows if above 0, and how many there are.

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

    def arrow(self, sql: str) -> Any:  # noqa: ANN401  a pyarrow.Table; the library may be absent
        """Return what a statement of ours answers, for Arrow.

        Raises:
            MissingLibraryError: pyarrow is not installed.
        """
        self._look_at(sql)
        try:
            return self._connection.sql(sql).to_arrow_table()
        except ImportError as error:
            raise MissingLibraryError("pyarrow", "arrow") from error

    def pandas(self, sql: str) -> Any:  # noqa: ANN401  a pandas.DataFrame; the library may be absent
        """Return what a statement of ours answers, for pandas.

        Raises:
            MissingLibraryError: pandas is not installed.
        """
        self._look_at(sql)
        try:
            return self._connection.sql(sql).df()
        except (ImportError, duckdb.InvalidInputException) as error:
            raise MissingLibraryError("pandas", "pandas") from error

    def close(self) -> None:
        """Let the memory go."""
        self._connection.close()

    def _check(self, sql: str) -> None:
        try:
            statements = self._connection.extract_statements(sql)
        except (TypeError, UnicodeError) as error:
            raise QueryError("The SQL holds bytes that are no text. Write it in UTF-8.") from error
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


def _show_no_progress(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep progress bars out of the output; a notebook without widgets has none, and refuses to set it."""
    [(on,)] = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if on:
        connection.execute("SET enable_progress_bar = false")


def _fields(table: Table, part: Part) -> str:
    return ", ".join(
        f"CAST({_field(name, part.get(name))} AS {_SQL_TYPES[kind]}) AS {_quoted(name)}"
        for name, kind in ((field.name, field.type) for field in table.fields)
    )


def _field(name: str, values: NDArray[Any] | int | str | None) -> str:
    if isinstance(values, np.ndarray):
        return _quoted(name)
    if values is None:
        return "NULL"
    return _text(values) if isinstance(values, str) else str(int(values))


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn an error of DuckDB into a sentence of ours."""
    try:
        yield
    except duckdb.Error as error:
        raise QueryError(_sentence(error)) from error


def _sentence(error: duckdb.Error) -> str:
    text = str(error).split("\nLINE ")[0].split("\nDid you mean")[0].replace("\n", " ").strip()
    if isinstance(error, duckdb.PermissionException):
        return f"A query sees the tables of its run and nothing else. ({text})"
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return f"{text.rstrip('.!')}. The tables are {', '.join(TABLES)}; --tables shows their columns."
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
        known = (~np.ma.getmaskarray(array)).astype(np.uint8).data
        array = np.ma.getdata(array)
    if array.dtype != object:
        return Column(np.ascontiguousarray(array).data, known=known)
    texts = array.tolist()
    # Without a step of Python for each row, which counts by the million.
    places = {word: place for place, word in enumerate(dict.fromkeys(texts))}
    codes = np.fromiter(map(places.__getitem__, texts), np.int32, len(texts))
    return Column(codes.data, words=tuple(word or "" for word in places) or ("",), known=known)


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
