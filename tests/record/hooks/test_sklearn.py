"""scikit-learn: outermost estimators are phases, and nothing else is different."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS, Setting, run
from tests.record.hooks.twice import Row, Twice, looking_in, run_twice

STRICT = ("-W", "always")


@pytest.fixture(scope="module")
def work() -> Twice:
    """What a program with many estimators says, bare and recorded, and its phases."""
    need("sklearn", "joblib")
    return run_twice("sklearn_work.py", *STRICT)


@pytest.fixture
def rows(work: Twice) -> list[Row]:
    return work.rows


def named(rows: list[Row], name: str) -> list[Row]:
    return [row for row in rows if row["name"] == name]


def size(row: Row) -> tuple[Any, Any]:
    facts = json.loads(row["attributes"] or "{}")
    return facts.get("samples"), facts.get("features")


def test_results_warnings_and_random_numbers_are_the_same_to_the_last_bit(work):
    assert work.bare.code == 0, work.bare.err
    assert work.recorded == work.bare


def test_a_pipeline_is_one_phase_and_what_it_holds_none(rows):
    assert [row["kind"] for row in named(rows, "Pipeline.fit")][:1] == ["fit"]
    assert {row["kind"] for row in named(rows, "Pipeline.predict_proba")} == {"predict"}
    assert {row["above_kind"] for row in named(rows, "Pipeline.fit")} == {"process", "job"}
    assert not [
        row for row in rows if row["above_kind"] in ("fit", "predict", "transform") and row["kind"] == "fit"
    ]


def test_methods_that_are_there_for_some_only_are_seen(rows):
    assert len(named(rows, "Pipeline.decision_function")) == 1
    assert len(named(rows, "Pipeline.score")) >= 1


def test_a_forest_in_threads_is_one_phase(rows):
    (fit,) = named(rows, "RandomForestClassifier.fit")

    assert fit["above_kind"] == "process"
    assert not named(rows, "DecisionTreeClassifier.predict_proba")
    assert not named(rows, "DecisionTreeClassifier.fit")


def test_a_search_is_one_phase_here_and_fits_are_phases_of_the_workers(rows):
    (search,) = named(rows, "GridSearchCV.fit")
    inside = [row for row in named(rows, "Pipeline.fit") if row["above"] == "_fit_and_score"]

    assert search["process"] not in {row["process"] for row in inside}
    assert len(inside) == 4


def test_kinds_follow_the_methods(rows):
    kinds = {row["name"]: row["kind"] for row in rows}

    assert kinds["SGDClassifier.partial_fit"] == kinds["CountVectorizer.fit_transform"] == "fit"
    assert kinds["Pipeline.score"] == kinds["GridSearchCV.predict"] == "predict"
    assert kinds["StandardScaler.transform"] == "transform"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RandomForestClassifier.fit", (120, 6)),  # a DataFrame
        ("SGDClassifier.partial_fit", (5, 6)),  # an array
        ("CountVectorizer.fit_transform", (3, None)),  # a list of texts
        ("StandardScaler.fit", (2, 2)),  # a list of lists
    ],
)
def test_samples_and_features_are_those_of_the_data(rows, name, expected):
    assert expected in [size(row) for row in named(rows, name)]


def test_a_sparse_matrix_is_measured_too(rows):
    assert (120, 6) in [size(row) for row in named(rows, "SGDClassifier.fit")]


def test_estimators_of_main_are_left_alone_and_what_they_call_is_seen(rows):
    assert not named(rows, "Ours.fit")
    assert named(rows, "LogisticRegression.fit")
    assert named(rows, "Ours.score")  # a mixin's, of the library


def test_a_call_that_fails_is_failed(rows):
    failed = [row for row in named(rows, "SVC.fit") if row["status"] == "failed"]

    assert [json.loads(row["attributes"])["error"] for row in failed] == [
        "TypeError",
        "InvalidParameterError",
    ]


def test_a_failing_program_says_the_same():
    need("sklearn")

    twice = run_twice("sklearn_failing.py")

    assert "as meant" in twice.bare.err
    assert twice.recorded == twice.bare


def test_estimators_pickled_by_value_load_where_nothing_of_ours_is(user, tmp_path):
    need("sklearn", "joblib")
    (tmp_path / "by_value.py").write_text(
        "from sklearn.base import BaseEstimator\n"
        "class Module(BaseEstimator):\n"
        "    def fit(self, X): return self\n"
        "    def predict(self, X): return X + 3\n"
    )
    load = "import pickle, sys; print(pickle.load(sys.stdin.buffer).predict(0), 'longpole' in sys.modules)"

    done = user.record(user.python, str(PROGRAMS / "sklearn_by_value.py"), str(tmp_path))
    loaded = [
        subprocess.run(
            [user.python, "-I", "-c", load],
            input=(tmp_path / f"{number}.pickle").read_bytes(),
            capture_output=True,
            check=False,
        ).stdout
        for number in range(3)
    ]

    assert done.returncode == 0, done.stderr
    assert loaded == [b"1 False\n", b"2 False\n", b"3 False\n"]


def test_many_short_calls_are_counted_and_none_is_lost(user, tmp_path):
    need("sklearn")

    user.record(user.python, str(PROGRAMS / "sklearn_many.py"), str(tmp_path))
    found = user.latest().query(
        "SELECT name, count(*) AS n, sum(count)::BIGINT AS calls FROM phases GROUP BY name"
    )

    counts = {row["name"]: (row["n"], row["calls"]) for row in found.records()}
    assert counts["Quick.predict"][1] == 1000
    assert counts["Quick.predict"][0] < 300
    assert counts["Marked.transform"] == counts["inside"] == (150, 150)


CLOSED = """
class Closed(type):
    def __setattr__(cls, *_): raise AttributeError("closed")
class BaseEstimator(metaclass=Closed): pass
"""


@pytest.mark.parametrize(
    "base",
    [
        "class Estimator: pass",
        "BaseEstimator = 3",
        CLOSED,
    ],
)
def test_a_library_that_has_changed_is_left_alone_and_said(user, tmp_path, base):
    (tmp_path / "sklearn").mkdir()
    (tmp_path / "sklearn" / "__init__.py").touch()
    (tmp_path / "sklearn" / "base.py").write_text(base)
    program = "import sklearn.base; print(sorted(name for name in vars(sklearn.base) if name[0] != '_'))"

    bare = subprocess.run(
        [user.python, "-c", program],
        capture_output=True,
        text=True,
        env=user.environment(looking_in(user, tmp_path)),
        check=True,
    )
    done = user.record(user.python, "-c", program, env=looking_in(user, tmp_path))

    assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")
    assert [failure.hook for failure in user.latest().recording.hooks_given_up] == ["sklearn"]


def test_hooks_put_on_loaded_libraries_come_off_again(user):
    need("sklearn", "optuna", "joblib")

    said = run(user, [user.python, str(PROGRAMS / "sklearn_applied.py")], Setting(PROGRAMS, looking_in(user)))

    on, off, on_again, off_again, last = said.out.splitlines()
    assert on == on_again
    assert "[]" not in on
    assert off == off_again == str([[] for _ in range(on.count("["))][1:])
    assert last == "[1] nothing"
