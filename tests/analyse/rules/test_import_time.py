"""Programs that spend their time on imports."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.import_time import RULE
from longpole.analyse.rules.ours import OURS
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, chain, first_of_ours, is_silent, makespan_on, starts_on


def short_processes(seed: int, slots: int) -> tuple[Planted, float]:
    """Many short Pythons that import the same, and what workers that stay would save."""
    rng = np.random.default_rng(seed)
    torch, numpy, work = rng.normal(1.5, 0.1, 32), rng.uniform(0.1, 0.2, 32), rng.uniform(2.0, 4.0, 32)
    took, kept = torch + numpy + work, np.arange(32) < slots
    total = makespan_on(took, slots)
    run = Planted(total)
    main = run.phase("process", "bash", 0.0, total, process=1)
    for at, start in enumerate(starts_on(took, slots)):
        one = run.phase("process", "python", start, start + took[at], parent=main, process=at + 2)
        parts = [("import", "numpy", numpy[at]), ("import", "torch", torch[at]), ("phase", "work", work[at])]
        chain(run, one, start, parts, process=at + 2)
    return run, total - makespan_on(work + kept * (torch + numpy), slots)


def one_process(seed: int, import_s: float) -> tuple[Planted, float]:
    rng = np.random.default_rng(seed)
    imports, work = import_s * rng.uniform(0.9, 1.1, 3), rng.uniform(15.0, 20.0)
    total = float(imports.sum() + work)
    run = Planted(total)
    main = run.phase("process", "python", 0.0, total, process=1)
    names = ("numpy", "pandas", "torch")
    parts = [("import", name, one) for name, one in zip(names, imports, strict=True)]
    chain(run, main, 0.0, [*parts, ("fit", "fit", work)], process=1)
    return run, float(imports.sum())


@SEEDS
@pytest.mark.parametrize("slots", [1, 4])
def test_short_processes_that_import_the_same_come_first(seed, slots):
    run, truth = short_processes(seed, slots)

    found = first_of_ours(run)

    assert found.rule == "import-time"
    assert found.saving_s == pytest.approx(truth, rel=0.03)
    assert "ProcessPoolExecutor" in found.advice
    assert "torch" in found.evidence[1]


@SEEDS
def test_slow_imports_of_one_program_come_first(seed):
    run, truth = one_process(seed, 1.0)

    found = first_of_ours(run)

    assert found.rule == "import-time"
    assert found.saving_s == pytest.approx(truth / 2, rel=0.01)
    assert (found.saving_low_s, found.saving_high_s) == pytest.approx((0.0, truth), rel=0.01)
    assert "inside the function" in found.advice


@SEEDS
def test_imports_come_after_a_cause_of_the_same_size(seed):
    rng = np.random.default_rng(seed)
    run = Planted(30.0)
    main = run.phase("process", "python", 0.0, 30.0, process=1)
    saved = rng.uniform(4.0, 6.0)
    parts = [("import", "torch", 6.0), ("checkpoint", "save", saved), ("phase", "fit", 24.0 - saved)]
    chain(run, main, 0.0, parts, process=1)

    found = run.findings(*OURS)

    assert [one.rule for one in found] == ["checkpoint", "import-time"]


@SEEDS
def test_ends_that_were_sampled_late_do_not_make_one_worker_two(seed):
    rng = np.random.default_rng(seed)
    run = Planted(60.0)
    main = run.phase("process", "bash", 0.0, 60.0, process=1)
    for at in range(12):
        late = rng.uniform(0.0, 0.1)
        one = run.phase("process", "python", 5.0 * at, 5.0 * (at + 1) + late, parent=main, process=at + 2)
        chain(run, one, 5.0 * at, [("import", "torch", rng.uniform(1.0, 2.0))], process=at + 2)

    (found,) = RULE.look(run.case())

    assert "Start 1 worker process once," in found.advice


@SEEDS
def test_imports_beside_the_critical_path_are_not_named(seed):
    rng = np.random.default_rng(seed)
    run = Planted(30.0)
    main = run.phase("process", "python", 0.0, 30.0, process=1)
    run.phase("phase", "compute", 0.0, 29.5, parent=main, process=1)
    for at in range(3):
        took = rng.uniform(5.0, 20.0)
        worker = run.phase("process", "python", 1.0, 1.0 + took + 2.0, parent=main, process=at + 2)
        chain(run, worker, 1.0, [("import", "torch", took)], process=at + 2)

    assert is_silent(run, RULE)


@SEEDS
def test_short_imports_are_not_named(seed):
    run, _ = one_process(seed, 0.2)

    assert list(RULE.look(run.case())) == []
