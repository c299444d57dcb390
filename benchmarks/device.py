"""Recording on a GPU: what it costs training steps there, and how right its times are.

Three questions, for a small convolutional network in plain PyTorch on one CUDA device:

* cost: CPU time and wall time a step, recorded over bare, runs taking turns; the control is bare over bare.
  CPU time is the workload's plus launcher's and agent's over the loop alone.
* times: for the same steps, how long the device worked by our CUDA events, and by torch.profiler's kernels
  (from the first kernel's begin to the last one's end); the steps follow one another as in any training.
* busy: how busy the device was by ``longpole show``, and by NVML asked ten times a second meanwhile, for a
  program that keeps it busy half of the time.

    python -m benchmarks.device [--pairs 15] [--steps 300] [--only cost,times,busy] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.processes import ROOT, answer, longpole, module, recorder_cpu_s
from benchmarks.ratios import AGAIN, BASE, null_control, over_bare, summary

RECORDED = "longpole"
KERNELS_STEPS = 20


def main() -> None:
    """Ask what was chosen."""
    options = _arguments()
    if options.program:
        _PROGRAMS[options.program](options)
        return
    results = {}
    with tempfile.TemporaryDirectory() as runs:
        os.environ["LONGPOLE_RUNS"] = runs
        for name, measure in (("cost", cost), ("times", times), ("busy", busy)):
            if name in options.only.split(","):
                results[name] = measure(options)
                print(f"{name}: {json.dumps(results[name], indent=1)}", file=sys.stderr)
    if options.json:
        print(json.dumps(results))


def cost(options: argparse.Namespace) -> dict[str, object]:
    """CPU and wall time a step, recorded over bare."""
    cpu, wall = [], []
    for number in range(options.pairs):
        found = {}
        names = [BASE, RECORDED, AGAIN]
        for name in [*names[number % 3 :], *names[: number % 3]]:
            found[name] = _run("train", options, recorded=name == RECORDED)
        cpu.append({name: facts["cpu_ms"] for name, facts in found.items()})
        wall.append({name: facts["wall_ms"] for name, facts in found.items()})
        print(f"round {number + 1}: {found}", file=sys.stderr, flush=True)
    return {
        "step_ms": statistics.median(found[BASE] for found in wall),
        "cpu": summary(over_bare(cpu, RECORDED)),
        "cpu_null_control": summary(null_control(cpu)),
        "wall": summary(over_bare(wall, RECORDED)),
        "wall_null_control": summary(null_control(wall)),
    }


def times(options: argparse.Namespace) -> dict[str, object]:
    """Our device times over the profiler's, for the same steps."""
    profiled = _run("kernels", options, recorded=True, detail="high")["steps"]
    query = (
        "SELECT start_ns, duration_ns / 1e6 AS ms FROM phases WHERE kind = 'device' AND name = 'step'"
        " ORDER BY start_ns"
    )
    ours = json.loads(answer(longpole("query", "latest", query, "--json")))["rows"]
    ratios = [
        own["ms"] / step["kernels_ms"]
        for step in profiled
        for own in ours
        if abs(own["start_ns"] - step["start_ns"]) < step["kernels_ms"] * 1e6 / 2
    ]
    return {
        "steps": len(ratios),
        "device_step_ms": statistics.median(step["kernels_ms"] for step in profiled),
        "ours_over_profiler_median": statistics.median(ratios),
        "ours_over_profiler_least": min(ratios),
        "ours_over_profiler_most": max(ratios),
    }


def busy(options: argparse.Namespace) -> dict[str, object]:
    """GPU busy percent in the tables, and what NVML said in the same time."""
    asked = _run("half", options, recorded=True)
    query = (
        "SELECT scope, metric, 100 * sum(value * (end_ns - start_ns)) / sum(end_ns - start_ns) AS mean"
        " FROM samples JOIN resources ON resource = id WHERE kind = 'gpu' AND metric = 'busy'"
        f" AND start_ns >= {asked['began_ns']} AND end_ns <= {asked['ended_ns']} GROUP BY ALL"
    )
    rows = json.loads(answer(longpole("query", "latest", query, "--json")))["rows"]
    shown = {f"recorded_{row['scope']}": row["mean"] for row in rows}
    return {"nvml_percent": asked["nvml_percent"], **shown}


def _run(program: str, options: argparse.Namespace, *, recorded: bool, detail: str = "auto") -> dict:
    command = module("device", "--program", program, "--steps", str(options.steps))
    if recorded:
        command = [*longpole("record", "--detail", detail, "--"), *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


class Training:
    """A small convolutional network on the device, and its steps."""

    def __init__(self) -> None:
        """Make it, and take the first steps, which compile and choose kernels."""
        import torch
        from torch import nn

        self.torch = torch
        torch.manual_seed(0)

        def block(one: int, other: int) -> list[nn.Module]:
            return [nn.Conv2d(one, other, 3, padding=1, bias=False), nn.BatchNorm2d(other), nn.ReLU()]

        layers = [*block(3, 64), *block(64, 128), nn.MaxPool2d(2), *block(128, 256), nn.MaxPool2d(2)]
        layers += [*block(256, 256), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10)]
        self.model = nn.Sequential(*layers).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.loss = nn.CrossEntropyLoss()
        self.inputs = torch.randn(256, 3, 64, 64, device="cuda")
        self.labels = torch.randint(0, 10, (256,), device="cuda")
        for _ in range(50):
            self.step()
        torch.cuda.synchronize()

    def step(self) -> None:
        """Take one step of training."""
        self.optimizer.zero_grad()
        self.loss(self.model(self.inputs), self.labels).backward()
        self.optimizer.step()


def _train(options: argparse.Namespace) -> None:
    """Print CPU time (with the recorder's, where there is one) and wall time of a step."""
    training = Training()
    recorder = os.getppid() if os.environ.get("LONGPOLE_RUN") else 0

    def used_s() -> float:
        return time.process_time() + (recorder_cpu_s(recorder) if recorder else 0.0)

    cpu_s, began = used_s(), time.perf_counter()
    for _ in range(options.steps):
        training.step()
    training.torch.cuda.synchronize()
    wall_s = time.perf_counter() - began
    scale = 1000 / options.steps
    print(json.dumps({"cpu_ms": (used_s() - cpu_s) * scale, "wall_ms": wall_s * scale}))


def _kernels(_: argparse.Namespace) -> None:
    """Print from when to when the kernels ran that each of some steps launched, by torch.profiler."""
    training = Training()
    profiler = training.torch.profiler
    kinds = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA]
    with profiler.profile(activities=kinds) as profile:
        for number in range(KERNELS_STEPS):
            with profiler.record_function(f"step {number}"):
                training.step()
        training.torch.cuda.synchronize()
    for _ in range(3):  # device times are written when a later step asks for them
        time.sleep(0.05)
        training.step()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(trace))
        print(json.dumps({"steps": _spans(json.loads(trace.read_text()))}))


def _spans(trace: dict) -> list[dict[str, float]]:
    """Return begin and length of the kernels of each step; the first, before which the device idled, is none.

    A kernel belongs to the step in which it was launched on the host, which runs ahead of the device.
    """
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    base_us = trace.get("baseTimeNanoseconds", 0) / 1000
    launches = {
        event["args"]["correlation"]: event["ts"]
        for event in events
        if event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {})
    }
    ran = [
        (launches[event["args"]["correlation"]], event["ts"], event["ts"] + event["dur"])
        for event in events
        if event.get("cat") in ("kernel", "gpu_memset", "gpu_memcpy")
        and event["args"].get("correlation") in launches
    ]
    found = []
    for number in range(1, KERNELS_STEPS):
        step = next(
            event
            for event in events
            if event.get("cat") == "user_annotation" and event["name"] == f"step {number}"
        )
        own = [one for one in ran if step["ts"] <= one[0] <= step["ts"] + step["dur"]]
        start_us, end_us = min(one[1] for one in own), max(one[2] for one in own)
        found.append({"start_ns": (base_us + start_us) * 1000, "kernels_ms": (end_us - start_us) / 1000})
    return found


def _half(_: argparse.Namespace) -> None:
    """Keep the device busy half of the time for twenty seconds; print what NVML says of it."""
    import pynvml

    training = Training()
    pynvml.nvmlInit()
    device = pynvml.nvmlDeviceGetHandleByIndex(0)
    asked, end, began_ns = [], time.monotonic() + 20, time.time_ns()
    while time.monotonic() < end:
        turn = time.monotonic()
        while time.monotonic() < turn + 0.5:
            training.step()
            training.torch.cuda.synchronize()
            asked.append((time.monotonic(), pynvml.nvmlDeviceGetUtilizationRates(device).gpu))
        while time.monotonic() < turn + 1.0:
            time.sleep(0.1)
            asked.append((time.monotonic(), pynvml.nvmlDeviceGetUtilizationRates(device).gpu))
    spent = [(after[0] - before[0]) for before, after in pairwise(asked)]
    mean = sum(took * value for took, (_, value) in zip(spent, asked[1:], strict=True)) / sum(spent)
    print(json.dumps({"nvml_percent": mean, "began_ns": began_ns, "ended_ns": time.time_ns()}))


_PROGRAMS = {"train": _train, "kernels": _kernels, "half": _half}


def _arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--pairs", type=int, default=15, help="rounds of the question cost")
    parser.add_argument("--steps", type=int, default=300, help="steps of each run")
    parser.add_argument("--only", default="cost,times,busy", help="which questions to ask")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON on standard output")
    parser.add_argument("--program", choices=sorted(_PROGRAMS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
