"""What watches a loop in other ways: PyTorch's profiler, OpenTelemetry, sampling with psutil; and nothing.

A peer is used as its users do, in the cheapest form that still keeps what it finds: events of the profiler
stay in memory unless a trace for each epoch is asked for, spans go to a file in batches, samples to a file
line by line. MLflow's sampling is done over here with the same calls of psutil; its store is left out, which
makes it look cheaper than it is. Libraries are imported when they are used: this file can be read without.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

Step = Callable[[Any], None]


class Peer:
    """Nobody watches; and what a peer can put itself around."""

    needs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path) -> None:
        """Write what is found, if it goes to files, to ``folder``."""
        self.folder = folder

    def watching(self) -> AbstractContextManager[Any]:
        """Return what is around everything, the warm-up included."""
        return nullcontext()

    def loop(self) -> AbstractContextManager[Any]:
        """Return what is around a loop of several epochs."""
        return nullcontext()

    def epoch(self) -> AbstractContextManager[Any]:
        """Return what is around one epoch."""
        return nullcontext()

    def step(self, step: Step) -> Step:
        """Return the step as it is to be called: itself, if nothing is around single steps."""
        return step

    def flush(self) -> None:
        """Bring to its place what was found so far: it belongs to the cost of the loop."""


class Profiler(Peer):
    """torch.profiler around the whole loop, CPU activity; its events are kept, and not exported."""

    needs = ("torch",)
    options: ClassVar[dict[str, Any]] = {}

    def loop(self) -> AbstractContextManager[Any]:
        """Profile the loop; the last profile is kept, as its user would to look into it."""
        self.profile: AbstractContextManager[Any] = self._profile()
        return self.profile

    def _profile(self) -> Any:
        from torch.profiler import ProfilerActivity, profile

        return profile(activities=[ProfilerActivity.CPU], **self.options)


class FullProfiler(Profiler):
    """The same with shapes, stacks, memory and flops."""

    options: ClassVar[dict[str, Any]] = {
        "record_shapes": True,
        "with_stack": True,
        "profile_memory": True,
        "with_flops": True,
    }


class EpochTraces(Profiler):
    """torch.profiler around each epoch, with a Chrome trace of each."""

    def loop(self) -> AbstractContextManager[Any]:
        """Leave the whole loop alone."""
        return nullcontext()

    @contextmanager
    def epoch(self) -> Iterator[None]:
        """Profile one epoch and write its trace."""
        with self._profile() as profile:
            yield
        profile.export_chrome_trace(str(self.folder / f"trace-{len(list(self.folder.iterdir()))}.json"))


class OpenTelemetry(Peer):
    """One span for each step, in batches to a file."""

    needs = ("opentelemetry.sdk.trace",)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Set a provider up with a batch processor and an exporter that writes a line for each span."""
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

        with (self.folder / "spans.jsonl").open("w") as file:
            exporter = ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")
            self._provider = TracerProvider()
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
            yield
            self._provider.shutdown()

    def step(self, step: Step) -> Step:
        """Put a span around the step."""
        tracer = self._provider.get_tracer("benchmark")

        def spanned(batch: Any) -> None:
            with tracer.start_as_current_span("step"):
                step(batch)

        return spanned

    def flush(self) -> None:
        """Export what waits."""
        self._provider.force_flush()


class Sampling(Peer):
    """A thread of the process that samples with psutil and writes a line for each sample."""

    needs = ("psutil",)
    interval_s: ClassVar[float]

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Sample until the end."""
        ended = threading.Event()
        thread = threading.Thread(target=self._sample, args=(ended,), daemon=True)
        thread.start()
        yield
        ended.set()
        thread.join()

    def _sample(self, ended: threading.Event) -> None:
        look = self.look()
        with (self.folder / "samples.jsonl").open("w") as file:
            while not ended.wait(self.interval_s):
                file.write(json.dumps(look()) + "\n")
                file.flush()

    def look(self) -> Callable[[], Any]:
        """Return what takes one sample."""
        raise NotImplementedError


class TreeSampling(Sampling):
    """The process and all that descend from it, ten times a second: CPU, memory, bytes, threads."""

    interval_s = 0.1

    def look(self) -> Callable[[], Any]:
        """Return what samples the tree."""
        import psutil

        root = psutil.Process()

        def one(process: psutil.Process) -> list[Any]:
            with process.oneshot():
                used = process.cpu_times(), process.memory_info(), process.io_counters()
                return [process.pid, process.num_threads(), *used]

        def look() -> list[Any]:
            found = []
            for process in [root, *root.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    found.append(one(process))
            return found

        return look


class SystemSampling(Sampling):
    """CPU, memory, disk and network of the machine once a second, by the calls of MLflow's system metrics."""

    interval_s = 1.0

    def look(self) -> Callable[[], Any]:
        """Return what samples the machine."""
        import psutil

        def look() -> list[Any]:
            memory, disk = psutil.virtual_memory(), psutil.disk_usage(os.sep)
            return [psutil.cpu_percent(), memory, disk, psutil.net_io_counters()]

        return look


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a workload.

    ``share`` is the length of its loop over that of the bare one, and it runs in one of ``every`` rounds:
    what costs much needs less of both to be told apart from nothing.
    """

    words: str
    peer: type[Peer] = Peer
    share: float = 1.0
    every: int = 1
    recorded: bool = False

    def missing(self) -> str:
        """Return the name of a library that this needs and that is not there, or nothing."""
        for name in self.peer.needs:
            try:
                importlib.import_module(name)
            except ImportError:
                return name
        return ""


# Ours is between the bare ones, so that what drifts during a round cancels out.
VARIANTS = {
    "bare": Variant("nothing watches"),
    "longpole": Variant("longpole record, auto", recorded=True),
    "bare-again": Variant("nothing watches, again"),
    "opentelemetry": Variant(
        "OpenTelemetry, one span a step, in batches to a file", OpenTelemetry, share=0.5
    ),
    "psutil": Variant("psutil, process tree at 10 Hz", TreeSampling, share=0.5),
    "mlflow-style": Variant("psutil as MLflow does, system at 1 Hz", SystemSampling, share=0.5),
    "profiler": Variant("torch.profiler, plain", Profiler, share=0.2, every=3),
    "profiler-epochs": Variant("torch.profiler, one trace per epoch", EpochTraces, share=0.2, every=3),
    "profiler-full": Variant(
        "torch.profiler, shapes, stacks, memory, flops", FullProfiler, share=0.1, every=3
    ),
}
