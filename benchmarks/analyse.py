"""How long import and explain take, and how much memory, at three sizes; and graphs against networkx.

Each size is a WfFormat instance with three edges for each task and times of all tasks, and one is a chain.
Every step is a fresh process; explain is the first of its run, so that it makes the tables as well. Prints
seconds, seconds of CPU time (others may use the machine), peak memory, and the exponent of CPU time against
the size before: 1 is linear, 2 quadratic. Then levels and the longest path from arrays of edges, ours and
networkx's, graph building included on both sides, interleaved; and the largest antichain.

    python benchmarks/analyse.py [--sizes 10000,100000,1000000] [--chain 1000000] [--graph 100000] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # by itself a script finds only what lies beside it

from benchmarks.instances import write_chain, write_instance  # noqa: E402
from benchmarks.store import spent  # noqa: E402

EDGES_EACH = 3
ROUNDS = 5


def main() -> int:
    """Measure all of it and print the tables."""
    options = _arguments()
    sizes = [("tasks", int(text)) for text in options.sizes.split(",") if text]
    chains = [("chain", options.chain)] if options.chain else []
    results = {"runs": [measure(kind, size) for kind, size in sizes + chains]}
    if options.graph:
        results["graph"] = [measure_graph(options.graph)]
    if options.json:
        print(json.dumps({"schema_version": 1, **results}, indent=1))
    else:
        show(results)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,100000,1000000", help="how many tasks")
    parser.add_argument("--chain", type=int, default=1_000_000, help="how many tasks of a chain; 0 for none")
    parser.add_argument("--graph", type=int, default=100_000, help="tasks for networkx; 0 leaves it out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def measure(kind: str, size: int) -> dict[str, float | str]:
    """Import and explain one instance."""
    with tempfile.TemporaryDirectory(prefix="longpole-bench-") as folder:
        file = Path(folder, "instance.json")
        edges = write_instance(file, size, EDGES_EACH) if kind == "tasks" else write_chain(file, size)
        found: dict[str, float | str] = {"kind": kind, "tasks": size, "edges": edges}
        runs = ["--runs", f"{folder}/runs"]
        for step, words in {"import": [str(file), "--json"], "explain": ["latest", "--json"]}.items():
            took = spent(["-m", "longpole", step, *words, *runs])
            found |= {f"{step}_s": took.wall_s, f"{step}_cpu_s": took.cpu_s, f"{step}_mb": took.peak_mb}
    return found


def measure_graph(size: int) -> dict[str, float]:
    """Time levels and longest path from arrays of edges, both ways in turn, and the antichain."""
    from longpole.analyse.antichain import max_antichain
    from longpole.analyse.graph import graph_of, longest_path, order

    before, after, took = arrays(size)
    times: dict[str, list[float]] = {"ours": [], "networkx": []}
    for _ in range(ROUNDS):
        began = time.perf_counter()
        graph = graph_of(size, before, after)
        forward = order(graph, took)
        longest_path(graph, forward)
        times["ours"].append(time.perf_counter() - began)
        if find_spec("networkx"):
            times["networkx"].append(_networkx(before, after, took, forward.length_ns))
    began = time.perf_counter()
    antichain = max_antichain(graph, forward)
    found = {"tasks": size, "antichain": antichain.tasks, "antichain_s": time.perf_counter() - began}
    found |= {f"{name}_s": statistics.median(some) for name, some in times.items() if some}
    if times["networkx"]:
        ratios = [theirs / ours for theirs, ours in zip(times["networkx"], times["ours"], strict=True)]
        found["networkx_over_ours"] = statistics.median(ratios)
    return found


def arrays(size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a random graph as arrays: each task depends on three of the thousand before it."""
    rng = np.random.default_rng(seed)
    after = np.repeat(np.arange(1, size), EDGES_EACH)
    before = np.maximum(0, after - 1 - rng.integers(0, 1000, len(after)))
    return before, after, rng.integers(1, 10**9, size)


def _networkx(before: np.ndarray, after: np.ndarray, took: np.ndarray, expected_ns: int) -> float:
    import networkx as nx

    durations = took.tolist()
    began = time.perf_counter()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(took)))
    # An edge weighs what its begin takes, so the last task of a path does not count.
    graph.add_weighted_edges_from(zip(before.tolist(), after.tolist(), took[before].tolist(), strict=True))
    list(nx.topological_generations(graph))
    path = nx.dag_longest_path(graph)
    spent = time.perf_counter() - began
    shorter_ns = sum(durations[node] for node in path[:-1])
    if not shorter_ns <= expected_ns <= shorter_ns + max(durations):
        raise SystemExit("the longest paths differ")
    return spent


def show(results: dict[str, list[dict[str, float | str]]]) -> None:
    """Print the tables."""
    before: dict[str, float | str] = {}
    print(f"{'':>6} {'tasks':>10} {'edges':>10}  {'import':<43}  explain")
    for one in results["runs"]:
        cells = [f"{one['kind']:>6} {one['tasks']:>10,} {one['edges']:>10,}"]
        for step in ("import", "explain"):
            known = before and one["kind"] == "tasks"
            exponent = f"n^{exponent_of(step, before, one):.2f}" if known else ""
            times = f"{one[f'{step}_s']:7.1f} s {one[f'{step}_cpu_s']:6.1f} s CPU"
            cells.append(f"{times} {one[f'{step}_mb']:6.0f} MB {exponent:>8}    ")
        print("  ".join(cells))
        before = one
    for one in results.get("graph", []):
        theirs = one.get("networkx_s")
        against = f"networkx {theirs:.2f} s, {one['networkx_over_ours']:.1f} times as long" if theirs else ""
        print(f"levels and longest path of {one['tasks']:,} tasks: {one['ours_s']:.3f} s; {against}")
        print(f"antichain of {one['antichain']:,}: {one['antichain_s']:.2f} s")


def exponent_of(step: str, before: dict[str, float | str], after: dict[str, float | str]) -> float:
    """Return the power of the number of tasks that the CPU time of a step grows with."""
    times, sizes = (float(after[key]) / float(before[key]) for key in (f"{step}_cpu_s", "tasks"))
    return math.log(times) / math.log(sizes)


if __name__ == "__main__":
    sys.exit(main())
