"""Runs in Python: ``load`` and what it gives."""

from __future__ import annotations

import sys

import pytest

from longpole.app.run import Run, load
from longpole.errors import DamagedRunError, MissingLibraryError, QueryError, RunNotFoundError, UsageError
from longpole.model.execution import TABLES
from tests.builders import small_run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def run(made) -> Run:
    return load(made.path)


def test_a_run_is_loaded_by_path_name_or_as_the_latest(made):
    runs = str(made.path.parent)

    for name in ("latest", "0bad", "latest:made", str(made.path), made.path):
        assert load(name, runs=runs).id == "0badcafe"


def test_a_run_that_is_not_there_is_not_loaded(tmp_path):
    with pytest.raises(RunNotFoundError):
        load(tmp_path / "nosuch")


def test_a_run_says_what_it_is(run, made):
    assert (run.name, run.path, run.exit_code, run.makespan_s) == ("made", made.path, 0, 1.0)
    assert (run.command, run.state.value, run.reading.problems) == (("made", "by", "hand"), "finished", ())
    assert repr(run) == "<Run 0badcafe 'made', finished, exit code 0>"


def test_every_table_has_an_accessor(run):
    for name in TABLES:
        assert list(getattr(run, name)) == [field.name for field in TABLES[name].fields]
    assert run.phases.rows == 6


def test_sql_is_answered_and_cannot_change_anything(run):
    assert list(run.query("SELECT count(*) AS n FROM processes")["n"]) == [2]
    with pytest.raises(QueryError):
        run.query("DROP VIEW phases")


def test_tables_go_to_arrow_and_pandas(run):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")

    arrow, frame = run.to_arrow("processes"), run.to_pandas()

    assert arrow.column("name").to_pylist() == ["p1", "p2"]
    assert frame["duration_ns"].sum() == 2_760_000_000
    with pytest.raises(UsageError, match="no table"):
        run.to_arrow("nosuch")


def test_a_library_that_is_not_there_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(MissingLibraryError, match=r"pip install 'longpole\[arrow\]'"):
        run.to_arrow()
    with pytest.raises(MissingLibraryError, match=r"pip install 'longpole\[pandas\]'"):
        run.to_pandas()


def test_a_notebook_shows_the_overview_and_nothing_a_run_could_plant(tmp_path):
    made = small_run(tmp_path)
    made.save(name="<script>alert(1)</script>", command=["a&b"])

    html = load(made.path)._repr_html_()

    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "outer" in html


def test_an_overview_is_what_show_has(run):
    overview = run.overview()

    assert (overview.run, overview.makespan_s, overview.processes) == ("0badcafe", 1.0, 2)


def test_a_closed_run_can_be_asked_again(made):
    with load(made.path) as run:
        assert run.phases.rows == 6
    assert run.phases.rows == 6


def test_a_damaged_run_has_no_roofline(tmp_path):
    made = small_run(tmp_path)
    (log,) = (made.path / "log").iterdir()
    log.write_bytes(log.read_bytes()[:-1])

    with load(made.path) as damaged, pytest.raises(DamagedRunError):
        damaged.roofline()
