"""Optuna: a study's ``optimize`` is a search, and each call of the objective in it a trial.

A trial lasts as long as its objective, and is written when Optuna has judged it. In threads that ``optimize``
starts, trials are parts of the search all the same. One of the program's own, from ``ask`` to ``tell``, is a
part of the phase it was asked for in; it holds nothing, since several may be under way at once.
"""

from __future__ import annotations

import json
from _thread import get_ident
from functools import wraps
from weakref import WeakKeyDictionary

from longpole.record.client.attributes import as_json
from longpole.record.client.phases import recording
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.placed import Placed, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

_STATES = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}
_JUDGE = "_tell_with_warning"
# What fits into one text of a ring, with room for the rest.
_LONGEST_TEXT = 4000


def apply(optuna: ModuleType, patches: Patches) -> None:
    """Watch searches and trials."""
    trials = Trials(optuna.TrialPruned, patches)
    patches.replace(optuna.Study, "optimize", trials.searching)
    patches.replace(optuna.Study, "ask", lambda original: patches.around(original, trials.asking))
    patches.replace(optuna.Study, "tell", lambda original: patches.around(original, trials.telling))
    judging = getattr(optuna.study, "_optimize", None)
    if hasattr(judging, _JUDGE):
        patches.replace(judging, _JUDGE, lambda original: patches.around(original, trials.judging))


class Trial:
    """A trial that is under way, or waits to be judged; ``state`` is what its objective's end says."""

    __slots__ = ("error", "number", "params", "phase", "state", "values")

    def __init__(self, phase: Placed, number: int) -> None:
        """Begin."""
        self.phase = phase
        self.number = number
        self.state = "failed"
        self.values: list[Any] = []
        self.params: dict[str, Any] = {}
        self.error = ""

    def take(self, judged: Any) -> None:
        """Take Optuna's own word: a frozen trial, or a state and its values."""
        state, values = judged[:2] if isinstance(judged, tuple) else (judged.state, judged.values)
        self.state = _STATES.get(state.name, self.state)
        self.values = list(values or ())

    def write(self) -> None:
        """Write it."""
        self.phase.write(self._text(), failed=self.state == "failed")

    def _text(self) -> str:
        facts: dict[str, Any] = {"number": self.number, "state": self.state}
        values = _plain({str(at): value for at, value in enumerate(self.values)})
        if values:
            facts["value"] = values["0"] if len(values) == 1 else list(values.values())
        if self.error:
            facts["error"] = self.error
        facts["params"] = _plain(self.params)
        while len(json.dumps(facts)) > _LONGEST_TEXT and facts["params"]:
            facts["params"].popitem()
            facts["params_left_out"] = len(self.params) - len(facts["params"])
        return json.dumps(facts)


class Trials:
    """The trials of this process that are under way."""

    def __init__(self, pruned: type[BaseException], patches: Patches) -> None:
        """Begin with none."""
        self._pruned = pruned
        self._patches = patches
        self._asked: Any = WeakKeyDictionary()
        self._waiting: dict[int, Trial] = {}

    def searching(self, original: Any) -> Any:
        """Return ``optimize`` with a phase around it, and an objective that is watched."""
        trials = self

        def optimize(*args: Any, **kwargs: Any) -> Any:
            search, args, kwargs = trials._begin_search(args, kwargs)
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                trials._end_search(search, error)
                without_this_frame(error)
                raise
            trials._end_search(search, None)
            return result

        return unseen(wraps(original)(optimize))

    def _begin_search(self, args: Any, kwargs: Any) -> tuple[Placed | None, Any, Any]:
        try:
            phase = place(str(args[0].study_name), "search") if args and recording() else None
            if phase is None:
                return None, args, kwargs
            if len(args) > 1:
                args = args[0], self._watched(args[1], phase.identity), *args[2:]
            elif "func" in kwargs:
                kwargs = {**kwargs, "func": self._watched(kwargs["func"], phase.identity)}
            return phase.enter(), args, kwargs
        except Exception as error:  # noqa: BLE001
            self._patches.give_up(error)
            return None, args, kwargs

    def _end_search(self, search: Placed | None, error: BaseException | None) -> None:
        if search is None:
            return
        try:
            search.stop()
            for thread, trial in list(self._waiting.items()):
                if trial.phase.parent == search.identity:
                    self._waiting.pop(thread).write()
            text = as_json({"error": type(error).__name__}) if error is not None else ""
            search.write(text, failed=error is not None)
        except Exception as trouble:  # noqa: BLE001
            self._patches.give_up(trouble)

    def _watched(self, objective: Any, search: int) -> Any:
        trials = self

        def watched(*args: Any) -> Any:
            trial = trials._begin(search, args)
            try:
                value = objective(*args)
            except BaseException as error:
                trials._end(trial, args, None, error)
                without_this_frame(error)
                raise
            trials._end(trial, args, value, None)
            return value

        return unseen(watched)

    def _begin(self, search: int, args: Any) -> Trial | None:
        try:
            number = _frozen(args[0]).number
            self._asked.get(args[0].study, {}).pop(number, None)
            phase = None if self._patches.given_up else place(f"trial {number}", "trial", search)
            return None if phase is None else Trial(phase.enter(), number)
        except Exception as error:  # noqa: BLE001
            self._patches.give_up(error)
            return None

    def _end(self, trial: Trial | None, args: Any, value: Any, error: BaseException | None) -> None:
        if trial is None:
            return
        try:
            trial.phase.stop()
            trial.params = dict(_frozen(args[0]).params)
            if error is None:
                trial.state, trial.values = "complete", list(value) if _several(value) else [value]
            elif isinstance(error, self._pruned):
                trial.state = "pruned"
            else:
                trial.error = type(error).__name__
            forgotten = self._waiting.pop(get_ident(), None)
            if forgotten is not None:
                forgotten.write()
            self._waiting[get_ident()] = trial
        except Exception as trouble:  # noqa: BLE001
            self._patches.give_up(trouble)

    def judging(self, _: Any, __: Any) -> Any:
        """Optuna judges the trial that this thread has just ended."""
        trial = self._waiting.pop(get_ident(), None)
        if trial is None:
            return None
        waiting = trial

        def end(judged: Any, error: BaseException | None) -> None:
            if error is None:
                waiting.take(judged)
            waiting.write()

        return end

    def asking(self, args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        """The program, or ``optimize``, asks for a trial."""
        phase = place("trial", "trial")

        def end(trial: Any, error: BaseException | None) -> None:
            if error is None and phase is not None:
                number = _frozen(trial).number
                phase.rename(f"trial {number}")
                self._asked.setdefault(args[0], {})[number] = phase

        return end

    def telling(self, args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        """The program tells the outcome of a trial."""

        def end(judged: Any, error: BaseException | None) -> None:
            phase = self._asked.get(args[0], {}).pop(judged.number, None) if error is None else None
            if phase is not None:
                trial = Trial(phase, judged.number)
                trial.params = judged.params
                trial.take(judged)
                trial.write()

        return end


def _frozen(trial: Any) -> Any:
    """Return what a trial knows of itself without asking the storage, where it does."""
    return getattr(trial, "_cached_frozen_trial", trial)


def _several(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _plain(values: dict[str, Any]) -> Any:
    return json.loads(as_json(values))
