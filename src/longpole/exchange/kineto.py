"""Traces of PyTorch's profiler (Kineto): one file for each rank, plain or packed, together one run.

Form: the JSON that ``torch.profiler`` exports, old and new. What becomes of it: a process for each pid, with
its rank; a phase ``process`` for each, from its first event to its last, and in it ``step`` (ProfilerStep),
``operator``, ``annotation``, ``data`` (fetches of a DataLoader), ``runtime`` (calls of CUDA), ``python`` and
``overhead`` by thread, nested as their times are; ``kernel``, ``memcpy``, ``memset``, ``sync`` and
``annotation`` by stream of a device; an edge ``launch`` from each call to what it began on the device. Left
out, and said: moments, counters, and links from forward to backward. Shapes and call stacks are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from longpole.exchange.kineto_phases import phases_of
from longpole.exchange.kineto_run import KinetoRun
from longpole.model.ports import ForeignFile
from longpole.model.told import Told, Wishes

TELLER = "PyTorch's profiler"
_OWN = re.compile(
    rb'"(?:deviceProperties|distributedInfo)"\s*:|"name"\s*:\s*"ProfilerStep|'
    rb'"cat"\s*:\s*"(?:cpu_op|cuda_runtime|cuda_driver|gpu_memcpy|gpu_memset|gpu_user_annotation|'
    rb'user_annotation|python_function|ac2g|fwdbwd|Operator|Runtime)"'
)
_ENDING = re.compile(r"(?:\.pt)?(?:\.trace)?(?:\.json)?(?:\.gz)?$")


class KinetoImporter:
    """Reads traces of PyTorch's profiler; see ``model.ports.Importer``."""

    name = "kineto"
    title = "a PyTorch (Kineto) trace"

    def recognises(self, file: ForeignFile) -> bool:
        """Return whether this is a trace of PyTorch's profiler."""
        return file.head.lstrip()[:1] in (b"{", b"[") and _OWN.search(file.head) is not None

    def read(self, files: Sequence[ForeignFile], wishes: Wishes) -> Told:
        """Return the run of all ranks in these files."""
        run = KinetoRun()
        for file in files:
            run.add(phases_of(file))
        return Told(TELLER, wishes.name or _called(files), run.tables(), tuple(run.gaps()))


KINETO = KinetoImporter()


def _called(files: Sequence[ForeignFile]) -> str:
    """Return what to call a run: as its file, without what all such files end with."""
    own = _ENDING.sub("", os.path.basename(files[0].name))
    return own if len(files) == 1 and own else "kineto"
