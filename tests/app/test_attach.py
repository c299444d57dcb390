"""Traces that PyTorch's profiler really wrote in a recorded run, put into that run."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longpole.app.explaining import explain_run
from longpole.store.run import StoredRun, open_run
from tests.parts import need
from tests.recording import Someone, somebody

STEPS, ACTIVE = 24, 6
# One process for each trace that is wanted; each waits for the others before it begins with its steps.
PROGRAM = f"""
import os, sys, time
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, TensorDataset

def train(rank, files, barrier=None):
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    data = TensorDataset(torch.randn(8 * {STEPS}, 256), torch.randint(0, 10, (8 * {STEPS},)))
    model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 10))
    optimizer, loss = torch.optim.SGD(model.parameters(), lr=1e-3), nn.CrossEntropyLoss()
    plan = schedule(wait=4, warmup=1, active={ACTIVE}, repeat=1)
    ready = lambda found: found.export_chrome_trace(files[rank])
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=ready) as found:
        for images, labels in DataLoader(data, batch_size=8):
            if barrier is not None:
                barrier.wait()
            optimizer.zero_grad()
            loss(model(images), labels).backward()
            optimizer.step()
            time.sleep(0.01)
            found.step()
    torch.save(model.state_dict(), os.devnull)

if __name__ == "__main__":
    files = sys.argv[1:]
    if len(files) == 1:
        train(0, files)
    else:
        context = torch.multiprocessing.get_context("spawn")
        barrier = context.Barrier(len(files))
        every = [context.Process(target=train, args=(rank, files, barrier)) for rank in range(len(files))]
        [process.start() for process in every]
        [process.join() for process in every]
        sys.exit(any(process.exitcode for process in every))
"""
# What holds each traced phase, at any distance, and lies not within it in time.
_OUTSIDE = """
    WITH RECURSIVE up AS (
        SELECT id, parent, start_ns, end_ns FROM phases WHERE kind = 'operator'
        UNION ALL SELECT up.id, above.parent, up.start_ns, up.end_ns
        FROM up JOIN phases above ON above.id = up.parent
    )
    SELECT above.kind FROM up JOIN phases above ON above.id = up.parent
    WHERE above.start_ns > up.start_ns OR above.end_ns < up.end_ns
"""
_AROUND = """
    WITH RECURSIVE up AS (
        SELECT id, parent, id AS leaf FROM phases WHERE kind = '{kind}'
        UNION ALL SELECT above.id, above.parent, up.leaf FROM up JOIN phases above ON above.id = up.parent
    )
    SELECT count(DISTINCT up.leaf) AS found FROM up JOIN phases above ON above.id = up.id
    WHERE above.kind = '{around}' AND above.name NOT LIKE 'ProfilerStep%'
"""
_PROFILED = "kind = 'step' AND name LIKE 'ProfilerStep%'"


class Recorded:
    """A recorded training, its traces, and the person who recorded it."""

    def __init__(self, user: Someone, folder: Path, ranks: int) -> None:
        self.user, self.traces = user, [folder / f"rank-{rank}.json" for rank in range(ranks)]
        program = folder / "train.py"
        program.write_text(PROGRAM)
        done = user.record(user.python, str(program), *map(str, self.traces))
        assert done.returncode == 0, done.stderr
        self.path = user.folder()

    def put(self, *traces: Path) -> subprocess.CompletedProcess[str]:
        """Put traces into the run, as its user would."""
        command = self.user.command("import", *map(str, traces), "--into", str(self.path))
        return subprocess.run(
            command, capture_output=True, text=True, env=self.user.environment(), timeout=100, check=False
        )

    def open(self) -> StoredRun:
        """Open the run as it is now."""
        return open_run(self.path)

    def logs(self) -> set[Path]:
        """Return the files of its log."""
        return set((self.path / "log").iterdir())


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """A training of one process, its trace put into its run."""
    need("torch")
    with somebody(nobody=False) as user:
        recorded = Recorded(user, tmp_path_factory.mktemp("one"), ranks=1)
        done = recorded.put(*recorded.traces)
        assert done.returncode == 0, done.stderr
        yield recorded


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """A training of two processes, whose traces were put into its run one after the other, last first."""
    need("torch")
    with somebody(nobody=False) as user:
        recorded = Recorded(user, tmp_path_factory.mktemp("two"), ranks=2)
        for trace in reversed(recorded.traces):
            done = recorded.put(trace)
            assert done.returncode == 0, done.stderr
        yield recorded


def number(run: StoredRun, sql: str) -> Any:
    return next(iter(run.query(sql).records()))["found"]


def test_all_of_a_trace_lies_in_the_recorded_process_and_within_it(training: Recorded) -> None:
    with training.open() as run:
        operators = number(run, "SELECT count(*) AS found FROM phases WHERE kind = 'operator'")
        assert operators > 10 * ACTIVE
        assert number(run, _AROUND.format(kind="operator", around="process")) == operators
        assert run.query(_OUTSIDE).rows == 0
        assert run.query("SELECT id FROM processes WHERE pid IS NULL OR source IS NULL").rows == 0


def test_operators_of_a_step_lie_in_the_recorded_step(training: Recorded) -> None:
    with training.open() as run:
        in_steps = number(run, _AROUND.format(kind="operator", around="step"))
        for part in ("forward", "backward", "data"):
            assert number(run, _AROUND.format(kind="operator", around=part)) > ACTIVE
        every = number(run, "SELECT count(*) AS found FROM phases WHERE kind = 'operator'")
        # Both clocks agree to some microseconds: what begins just with a step may seem to begin before it.
        assert in_steps >= 0.95 * every


def test_each_step_of_the_profiler_overlaps_one_recorded_step_almost_wholly(training: Recorded) -> None:
    overlap = f"""
        SELECT profiled.name, max(
            (least(step.end_ns, profiled.end_ns) - greatest(step.start_ns, profiled.start_ns))
            / (profiled.end_ns - profiled.start_ns)
        ) AS share
        FROM (FROM phases WHERE {_PROFILED}) profiled, (FROM phases WHERE name = 'step') step
        GROUP BY profiled.name
    """
    with training.open() as run:
        shares = run.query(overlap)

    assert shares.rows == ACTIVE
    assert min(float(share or 0) for share in shares["share"]) > 0.5


def test_blame_sums_to_the_makespan_with_hardly_anything_unnamed(training: Recorded) -> None:
    with training.open() as run:
        found = explain_run(run).explanation

    unnamed = sum(one.seconds for one in found.blame if one.kind == "idle")
    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s, rel=1e-6)
    assert unnamed <= 0.02 * (found.makespan_s or 0.0)
    assert (found.self_replay_error or 0.0) <= 0.03
    assert len(found.steps) == ACTIVE


def test_what_was_recorded_is_explained_as_without_the_trace(training: Recorded) -> None:
    with training.open() as run:
        found = explain_run(run).explanation

    kinds = {one.kind for one in found.blame}
    assert {"step", "forward", "backward", "import"} <= kinds
    assert not kinds & {"operator", "annotation"}
    assert not any("without a parent" in limit for limit in found.limits)


@pytest.mark.parametrize("command", ["show", "explain"])
def test_the_run_is_shown_and_explained(training: Recorded, command: str) -> None:
    done = subprocess.run(
        training.user.command(command, str(training.path)),
        capture_output=True,
        text=True,
        env=training.user.environment(),
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_the_same_trace_is_not_put_into_the_run_again(training: Recorded, tmp_path: Path) -> None:
    before = training.logs()
    packed = tmp_path / "another-name.json.gz"
    packed.write_bytes(gzip.compress(training.traces[0].read_bytes()))

    for file in (training.traces[0], packed):
        done = training.put(file)
        assert (done.returncode, training.logs()) == (0, before)
        assert f"{file} is in this run already" in done.stdout


def test_a_trace_of_another_run_is_refused_with_one_sentence(training: Recorded, ranks: Recorded) -> None:
    before = training.logs()
    done = training.put(*training.traces, ranks.traces[0])

    assert (done.returncode, done.stdout) == (2, "")
    assert str(ranks.traces[0]) in done.stderr
    assert "did not record" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert training.logs() == before


def test_each_rank_lies_in_its_own_process(ranks: Recorded) -> None:
    with ranks.open() as run:
        found = run.query(f"SELECT process, count(*) AS steps FROM phases WHERE {_PROFILED} GROUP BY process")
        assert list(found["steps"]) == [ACTIVE, ACTIVE]
        assert run.query(_OUTSIDE).rows == 0
        own = run.query(
            "SELECT DISTINCT phases.process, above.process AS above FROM phases "
            "JOIN phases above ON above.id = phases.parent WHERE phases.kind = 'operator'"
        )
        assert [row["process"] == row["above"] for row in own.records()] == [True, True]


def test_ranks_are_aligned(ranks: Recorded) -> None:
    # Both wait for each other in every step: so the same steps of both go on at the same time.
    together = f"""
        SELECT one.name, (least(one.end_ns, two.end_ns) - greatest(one.start_ns, two.start_ns))
            / greatest(one.end_ns - one.start_ns, two.end_ns - two.start_ns) AS share
        FROM (FROM phases WHERE {_PROFILED}) one JOIN (FROM phases WHERE {_PROFILED}) two
        ON one.name = two.name AND one.process < two.process
    """
    with ranks.open() as run:
        shares = run.query(together)

    assert shares.rows == ACTIVE
    assert min(float(share or 0) for share in shares["share"]) > 0


def test_traces_give_the_same_run_in_any_order(ranks: Recorded) -> None:
    asked = "SELECT kind, name, start_ns, end_ns, process FROM phases ORDER BY ALL"
    with ranks.open() as run:
        one_by_one = list(run.query(asked).records())
    told = [log for log in ranks.logs() if b"PyTorch's profiler" in log.read_bytes()[:4096]]
    assert len(told) == 2
    for log in told:
        log.unlink()

    done = ranks.put(*ranks.traces)
    assert done.returncode == 0, done.stderr
    with ranks.open() as run:
        assert list(run.query(asked).records()) == one_by_one
