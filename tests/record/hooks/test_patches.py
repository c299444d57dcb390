"""A replaced function is as it was to whoever calls, asks, pickles or reads a traceback."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.record.client.phases import start_recording
from longpole.record.hooks.patches import Patches

LIBRARY = '''
"""A small library."""
import functools, operator, warnings
class Model:
    colour = "red"
    count = len
    parts = functools.partial(divmod, 7)
    def fit(self, rows, *, times=1):
        """Fit it."""
        if rows < 0:
            fail(rows)
        return rows * times
    @staticmethod
    def plain(value): return value, "plain"
    @classmethod
    def make(cls, value): return cls, value
    def warn(self): warnings.warn("look", stacklevel=2)
class Child(Model): pass
def fail(rows): raise ValueError(rows)
def train(rows, model=None): return Model().fit(rows)
async def wait(): pass
def numbers(): yield 1
'''


@pytest.fixture
def library() -> Iterator[Any]:
    """A library of two modules: ``small_library`` hands out what ``small_library.parts`` defines."""
    package, parts = types.ModuleType("small_library"), types.ModuleType("small_library.parts")
    exec(compile(LIBRARY, "small_library/parts.py", "exec"), vars(parts))
    vars(package).update({name: value for name, value in vars(parts).items() if not name.startswith("__")})
    sys.modules.update({"small_library": package, "small_library.parts": parts})
    yield package
    del sys.modules["small_library"], sys.modules["small_library.parts"]


@pytest.fixture
def patches(tmp_path: Path) -> Iterator[Patches]:
    """The patches of one hook, in a recorded process."""
    start_recording(str(tmp_path))
    patches = Patches("small")
    yield patches
    patches.undo()
    start_recording("")


@pytest.fixture
def remarks(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What is said in the run about the recording."""
    said: list[dict[str, object]] = []
    module = sys.modules["longpole.record.hooks.patches"]
    monkeypatch.setattr(module, "remark", lambda **facts: said.append(facts))
    return said


def watch(patches: Patches, owner: Any, name: str) -> list[Any]:
    """Replace a function by one that notes its calls."""
    ended: list[Any] = []
    patches.replace(
        owner, name, lambda original: patches.around(original, lambda *_: lambda *end: ended.append(end))
    )
    return ended


CALLS = {
    "fit": lambda kind: kind().fit(3, times=2),
    "plain": lambda kind: (kind.plain(3), kind().plain(3)),
    "make": lambda kind: (kind.make(3), kind().make(3)),
    "count": lambda kind: (kind.count([1]), kind().count([1])),
    "parts": lambda kind: (kind.parts(2), kind().parts(2)),
}


@pytest.mark.parametrize("owner", ["Model", "Child"])
@pytest.mark.parametrize("name", CALLS)
def test_methods_of_all_kinds_are_called_as_before(
    library: Any, patches: Patches, owner: str, name: str
) -> None:
    kind = getattr(library, owner)
    before = CALLS[name](kind)

    ended = watch(patches, kind, name)

    assert CALLS[name](kind) == before
    assert len(ended) >= 1


@pytest.mark.parametrize("name", CALLS)
def test_undo_leaves_everything_as_it_was(library: Any, patches: Patches, name: str) -> None:
    before = dict(vars(library)), dict(vars(library.Model)), dict(vars(library.Child))
    for owner in (library.Model, library.Child):
        watch(patches, owner, name)
    watch(patches, library, "train")

    patches.undo()

    assert (dict(vars(library)), dict(vars(library.Model)), dict(vars(library.Child))) == before
    assert vars(sys.modules["small_library.parts"])["train"] is library.train


def test_undo_leaves_what_somebody_else_put_on_top(library: Any, patches: Patches) -> None:
    ended = watch(patches, library, "train")
    ours = library.train
    library.train = lambda rows: ours(rows) + 1

    patches.undo()

    assert library.train(3) == 4
    assert len(ended) == 1


def test_function_looks_and_pickles_as_before(library: Any, patches: Patches) -> None:
    before = inspect.signature(library.train), library.train.__name__, pickle.dumps(library.train)

    watch(patches, library, "train")

    assert (inspect.signature(library.train), library.train.__name__, pickle.dumps(library.train)) == before
    assert pickle.loads(pickle.dumps(library.train)) is library.train
    assert inspect.unwrap(library.train) is not library.train


def test_methods_pickle_as_before(library: Any, patches: Patches) -> None:
    before = pickle.dumps(library.Model().fit), inspect.signature(library.Model.fit)

    watch(patches, library.Model, "fit")

    assert (pickle.dumps(library.Model().fit), inspect.signature(library.Model.fit)) == before


def test_failure_has_the_traceback_it_had(library: Any, patches: Patches) -> None:
    def told() -> str:
        try:
            library.train(-1)
        except ValueError:
            return traceback.format_exc()
        return ""

    before = told()
    calls = [
        watch(patches, library, "train"),
        watch(patches, library.Model, "fit"),
        watch(patches, library, "fail"),
    ]

    assert told() == before
    assert [len(ended) for ended in calls] == [1, 1, 1]


def test_failure_is_handed_on_as_it_is(library: Any, patches: Patches) -> None:
    ended = watch(patches, library.Model, "fit")

    with pytest.raises(ValueError, match="-1") as caught:
        library.Model().fit(-1)

    [(result, error)] = ended
    assert result is None
    assert error is caught.value


def test_warning_points_to_the_line_it_did(library: Any, patches: Patches) -> None:
    def place() -> tuple[str, int]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            library.Model().warn()
        [warning] = caught
        return warning.filename, warning.lineno

    before = place()
    watch(patches, library.Model, "warn")

    assert place() == before
    assert before[0] == __file__


@pytest.mark.parametrize("name", ["wait", "numbers"])
def test_functions_whose_calls_only_begin_their_work_are_refused(
    library: Any, patches: Patches, name: str
) -> None:
    before = getattr(library, name)

    with pytest.raises(TypeError, match=name):
        patches.phase(library, name, "call")

    assert getattr(library, name) is before


def test_attribute_that_is_not_there_is_an_error(library: Any, patches: Patches) -> None:
    with pytest.raises(AttributeError, match="absent"):
        patches.phase(library.Model, "absent", "call")


def _failing(*_: object, **__: object) -> Any:
    raise RuntimeError("a hook fails")


FAULTS = {
    "at the beginning": lambda _: _failing,
    "at the end": lambda _: lambda *_: _failing,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_hook_that_fails_gives_up_and_says_so_once(
    library: Any, patches: Patches, remarks: list[dict[str, object]], fault: str
) -> None:
    before = library.train
    patches.replace(library, "train", lambda original: patches.around(original, FAULTS[fault](None)))
    ours = library.train

    assert [ours(2), ours(2), library.train(2)] == [2, 2, 2]

    assert library.train is before
    assert remarks == [{"about": "hook", "hook": "small", "why": "RuntimeError: a hook fails"}]


def test_hook_that_fails_leaves_the_failure_of_the_program_alone(
    library: Any, patches: Patches, remarks: list[dict[str, object]]
) -> None:
    patches.replace(library.Model, "fit", lambda original: patches.around(original, lambda *_: _failing))

    with pytest.raises(ValueError, match="-1") as caught:
        library.Model().fit(-1)

    assert caught.value.__context__ is None
    assert len(remarks) == 1


def test_what_is_not_recorded_is_only_called(library: Any, patches: Patches) -> None:
    ended = watch(patches, library, "train")
    start_recording("")

    assert library.train(2) == 2
    assert ended == []
