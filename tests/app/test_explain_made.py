"""Made instances, explained: wide graphs, and chains deeper than calls can nest."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.instances import write_chain, write_instance
from longpole.app.explaining import explain_run
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.model.explanation import Explanation
from longpole.model.told import Wishes
from longpole.store.run import open_run


def explained(file: Path, runs: Path) -> Explanation:
    told = read_files([str(file)], Wishes())
    assert told.gaps == ()
    with open_run(keep(told, runs)) as run:
        return explain_run(run).explanation


def test_wide_instance_is_explained_with_all_of_its_times(tmp_path: Path):
    edges = write_instance(tmp_path / "made.json", tasks=2000, edges_each=3)

    found = explained(tmp_path / "made.json", tmp_path)

    assert (found.tasks, found.edges, found.antichain_exact) == (2000, edges, True)
    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s)
    assert found.critical_path_s <= (found.makespan_s or 0.0)
    assert found.self_replay_error == pytest.approx(0.0, abs=0.03)
    assert found.limits == ("All of this is as told by a WfFormat instance.",)


def test_chain_is_explained_however_deep_it_is(tmp_path: Path):
    write_chain(tmp_path / "chain.json", 3000)

    found = explained(tmp_path / "chain.json", tmp_path)

    assert (found.levels, found.width, found.antichain) == (3000, 1, 1)
    assert found.critical_path_s == pytest.approx(3000 * 0.5)
    assert found.makespan_s == pytest.approx(2999 * 0.6 + 0.5)
    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s)
    assert found.self_replay_error == pytest.approx(0.0, abs=1e-6)
