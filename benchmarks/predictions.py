"""How well changes are predicted: each program is recorded, its change predicted, made, and measured.

Changes of programs (benchmarks/changing.py): those that the replay was developed on, and others. Before and
after are recorded in turn; a prediction is made from each recording before the change, without a look at what
comes after. Prints the median of what was recorded, predicted and measured, the error of the median
prediction, and the error of the replay itself.

    python benchmarks/predictions.py [--rounds 3] [--set held-out] [--only "files,..."] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # by itself a script finds only what lies beside it

from benchmarks.changing import PAIRS, SETS, Jobs, Pair, Tasks, Training  # noqa: E402
from benchmarks.unseen import Fetches, Fits, Hashes, Images  # noqa: E402
from longpole.analyse.change import Change  # noqa: E402
from longpole.analyse.graph import Whole  # noqa: E402
from longpole.analyse.loading import waits_with  # noqa: E402
from longpole.analyse.rules.data_loading import loops_of, with_waits  # noqa: E402
from longpole.analyse.times import Times, times_of  # noqa: E402
from longpole.app.explaining import evidence_of  # noqa: E402
from longpole.store.run import open_run  # noqa: E402

Figures = dict[str, float | str]


def main() -> int:
    """Predict and measure each change, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each is recorded, before and after")
    parser.add_argument("--set", choices=SETS, default="held-out", help="which changes")
    parser.add_argument("--only", default="", help="only these of them")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(SETS[options.set])
    results = [measure(name, options.rounds) for name in names]
    if options.json:
        print(json.dumps({"schema_version": 1, "results": results}, indent=1))
    else:
        show(results)
    return 0


def measure(name: str, rounds: int) -> Figures:
    """Record a program before and after its change, in turn."""
    before, predicted, after, errors = [], [], [], []
    for _ in range(rounds):
        run = record(name, "before")
        makespan, prediction, error = predict(PAIRS[name], run)
        before.append(makespan)
        predicted.append(prediction)
        errors.append(error)
        with open_run(record(name, "after")) as stored:
            after.append(stored.manifest.makespan_s or 0.0)
    medians = [statistics.median(some) for some in (before, predicted, after)]
    print(
        f"  {name}: {medians[0]:.2f} s, predicted {medians[1]:.2f}, measured {medians[2]:.2f}",
        file=sys.stderr,
    )
    return {
        "name": name,
        "change": PAIRS[name].kind,
        "before_s": medians[0],
        "predicted_s": medians[1],
        "after_s": medians[2],
        "error": (medians[1] - medians[2]) / medians[2],
        "self_replay_error": statistics.median(errors),
    }


def record(name: str, which: str) -> Path:
    """Record a program; return its run."""
    runs = tempfile.mkdtemp(prefix="longpole-bench-")
    command = [sys.executable, "-m", "longpole", "record", "--runs", runs, "--"]
    command += [sys.executable, "-m", "benchmarks.changing", name, which]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True)
    return next(path for path in Path(runs).iterdir() if (path / "run.json").exists())


def predict(pair: Pair, run: Path) -> tuple[float, float, float]:
    """Return makespan, the makespan predicted with the change, and the error of the replay without it."""
    with open_run(run) as stored:
        evidence = evidence_of(stored)
    times = times_of(evidence)
    if times is None:
        raise SystemExit(f"nothing is known of the times of {run}")
    makespan_s = times.case.makespan_ns / 1e9
    return (
        makespan_s,
        makespan_s - times.replay.saving_s(_CHANGES[pair.kind](times, pair)),
        times.replay.error,
    )


def _workers(times: Times, pair: Pair) -> Change:
    assert isinstance(pair.after, Training | Images)
    [found] = loops_of(times.case)
    return with_waits(times.case, found, waits_with(found.loop, pair.after.workers, times.case.cores))


def _loader(times: Times, pair: Pair) -> Change:
    """Let loading take as much less as it does by itself."""
    assert isinstance(pair.before, Training | Images)
    assert isinstance(pair.after, Training | Images)
    factor = pair.after.loading_s() / pair.before.loading_s()
    return Change(factors=times.case.factors(times.case.tree.places_of_kind("data"), factor))


def _checkpoint(times: Times, _: Pair) -> Change:
    return Change(factors=times.case.factors(times.case.tree.places_of_kind("checkpoint"), 0.0))


def _slots(times: Times, pair: Pair) -> Change:
    """Give what starts most processes another number of slots."""
    assert isinstance(pair.after, Tasks | Jobs | Fits | Hashes | Fetches)
    processes = _processes_of_pool(times)
    pool = int(times.case.tree.parent[processes[0]])
    return Change(slots={pool: pair.after.at_once}, abreast=processes)


def _processes_of_pool(times: Times) -> Whole:
    """Return the processes of what started most."""
    tree = times.case.tree
    processes = tree.places_of_kind("process")
    parents = tree.parent[processes]
    return processes[parents == np.bincount(parents[parents >= 0]).argmax()]


def _balance(times: Times, pair: Pair) -> Change:
    """Let all tasks, or all jobs, take the mean."""
    tree = times.case.tree
    jobs = tree.places_of_kind("job") if isinstance(pair.before, Jobs) else _processes_of_pool(times)
    return Change(balance=[(jobs, 1.0)])


_CHANGES: dict[str, Callable[[Times, Pair], Change]] = {
    "more workers": _workers,
    "faster loader": _loader,
    "fewer in parallel": _slots,
    "balanced input": _balance,
    "no checkpoints": _checkpoint,
    "doubled slots": _slots,
}


def show(results: list[Figures]) -> None:
    """Print the table."""
    head = ("before", "predicted", "measured", "error", "replay errs")
    print(f"{'program':<22} {'change':<18} " + " ".join(f"{word:>11}" for word in head))
    for one in results:
        print(
            f"{one['name']:<22} {one['change']:<18} {one['before_s']:11.2f} {one['predicted_s']:11.2f}"
            f" {one['after_s']:11.2f} {100 * float(one['error']):+9.1f} %"
            f" {100 * float(one['self_replay_error']):9.2f} %"
        )
    errors = [abs(float(one["error"])) for one in results]
    print(f"median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %")


if __name__ == "__main__":
    sys.exit(main())
