"""Runs planted for rules: phases put down one by one, and the case that rules see of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from longpole.analyse.blame import Labels, on_path_ns
from longpole.analyse.findings import find
from longpole.analyse.overview import overview
from longpole.analyse.path import Because, critical_path
from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case, Rule
from longpole.analyse.tree import Tree, executing, tree_of
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.explanation import Finding
from tests.analyse.evidence import evidence

S = 1_000_000_000
_SAMPLE_WORDS = ("kind", "name", "metric", "scope")
_SAMPLE_WHOLE = ("owner", "start_ns", "end_ns")


class Planted:
    """A run that is put together; times are in seconds from its begin."""

    def __init__(self, makespan_s: float, cores: int = 4) -> None:
        """Begin with the run itself, which is phase 1."""
        self._phases: list[dict[str, Any]] = []
        self._samples: list[dict[str, Any]] = []
        self._opens: list[dict[str, Any]] = []
        self._facts: dict[str, Any] = {}
        self._cores = cores
        self.phase("run", "run", 0.0, makespan_s, parent=None)

    def phase(
        self, kind: str, name: str, start_s: float, end_s: float, parent: int | None = 1, **more: int
    ) -> int:
        """Put down a phase; return its id. ``more``: task, process, lane."""
        row = {"id": len(self._phases) + 1, "parent": parent, "kind": kind, "name": name, **more}
        self._phases.append({**row, "start_ns": round(start_s * S), "end_ns": round(end_s * S)})
        return len(self._phases)

    def sample(self, kind: str, metric: str, start_s: float, end_s: float, value: float, **more: Any) -> None:
        """Put down a sample. ``more``: name, scope (host by default), owner, capacity."""
        row = {"kind": kind, "metric": metric, "name": "", "scope": "host", "value": value, **more}
        self._samples.append({**row, "start_ns": round(start_s * S), "end_ns": round(end_s * S)})

    def opened(self, name: str, size_bytes: int, times: int = 1, processes: int = 1) -> None:
        """Put down a file that was read so often."""
        row = {"file": len(self._opens) + 1, "name": name, "bytes": size_bytes}
        self._opens.append({**row, "times": times, "processes": processes})

    def facts(self, **facts: Any) -> None:
        """Say what the overview of the run has: steps, trials, gpus, host and so on."""
        self._facts.update(facts)

    def tree(self) -> Tree:
        """Return its phases, waits included."""
        rows = self._phases
        words = {name: texts([row[name] for row in rows]) for name in ("kind", "name")}
        whole = ("id", "parent", "task", "process", "lane", "start_ns", "end_ns")
        return tree_of(
            Columns({**{name: integers([row.get(name) for row in rows]) for name in whole}, **words})
        )

    def case(self) -> Case:
        """Return what rules see."""
        tree = self.tree()
        path = critical_path(tree)
        work = executing(tree)
        own = dict(zip(tree.ids.tolist(), on_path_ns(tree, path).tolist(), strict=True))
        waits = {because.value: 0.0 for because in Because}
        for stretch in path:
            waits[stretch.because.value] += (stretch.end_ns - stretch.start_ns) / S
        return Case(
            overview=replace(
                overview(evidence()), makespan_s=float(tree.end_ns[0]) / S, cores=self._cores, **self._facts
            ),
            tree=work,
            labels=Labels(work.name, work.names),
            on_path_ns=np.array([own[identity] for identity in work.ids.tolist()], np.int64),
            waits_s=waits,
            samples=self._sample_rows(),
            opens=self._open_rows(),
            cores=self._cores,
        )

    def findings(self, *rules: Rule) -> tuple[Finding, ...]:
        """Return what these rules find in it; none may fail."""
        case = self.case()
        found, failed = find(case, Replay(case.tree), rules)
        assert not failed, failed
        return found

    def _sample_rows(self) -> Columns:
        rows = self._samples
        words = {name: texts([row[name] for row in rows]) for name in _SAMPLE_WORDS}
        whole = {name: integers([row.get(name) for row in rows]) for name in _SAMPLE_WHOLE}
        numbers = {name: floats([row.get(name) for row in rows]) for name in ("capacity", "value")}
        return Columns({**words, **whole, **numbers})

    def _open_rows(self) -> Columns:
        rows = self._opens
        whole = {
            name: integers([row[name] for row in rows]) for name in ("file", "bytes", "times", "processes")
        }
        return Columns({**whole, "name": texts([row["name"] for row in rows])})
