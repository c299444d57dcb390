"""GPUs by PyTorch, in a process of its own: a trial of all GPUs for each line it reads, answered in JSON.

Method: for each GPU after the other, with CUDA events around a tenth of a second of work: products of bf16
and of FP64 matrices (2 n^3 FLOP each, on random numbers: zeros draw less power and run faster), a copy
within the GPU's memory (bytes read and written), and copies from pinned host memory to the GPU and back, of
which the slower direction counts. The sum over GPUs that were measured one at a time is what they do
together only as long as they share nothing: links to the host may be shared.

Run as ``python -m longpole.measure.gpu``; ``longpole.measure.gpus`` talks to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

_WORK_S = 0.1
_MOST_TIMES = 2000
_BF16_SIZE, _FP64_SIZE = 8192, 4096
_COPIED, _SENT = 1 << 30, 256 << 20
_MEMORY_SHARE = 8


def main() -> None:
    """Tell which GPUs there are, then measure them whenever a line comes."""
    import torch

    if not torch.cuda.is_available():
        _answer({"why": "This PyTorch sees no GPU."})
        return
    devices = range(torch.cuda.device_count())
    _answer({"gpus": [torch.cuda.get_device_name(device) for device in devices]})
    for _ in sys.stdin:
        try:
            found = [_measured(device) for device in devices]
        except RuntimeError as error:  # out of memory, and whatever a driver may say
            _answer({"why": f"PyTorch failed on a GPU: {str(error).splitlines()[0]}."})
            return
        _answer({name: sum(one[name] for one in found) for name in found[0]})


def _answer(facts: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def _measured(device: int) -> dict[str, float]:
    import torch

    with torch.cuda.device(device), torch.no_grad():
        free = torch.cuda.mem_get_info(device)[0] // _MEMORY_SHARE
        found = {
            "bf16": _product_rate("bfloat16", _BF16_SIZE),
            "flops": _product_rate("float64", _FP64_SIZE),
            "hbm": _copy_rate(min(_COPIED, free)),
            "pcie": _link_rate(min(_SENT, free)),
        }
        torch.cuda.empty_cache()  # somebody may share it
        return found


def _product_rate(kind: str, size: int) -> float:
    import torch

    left, right = (torch.randn(size, size, device="cuda", dtype=getattr(torch, kind)) for _ in range(2))
    result = torch.empty_like(left)
    return 2.0 * size**3 / _seconds(lambda: torch.matmul(left, right, out=result))


def _copy_rate(size: int) -> float:
    import torch

    source = torch.ones(size, device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return 2.0 * size / _seconds(lambda: target.copy_(source))


def _link_rate(size: int) -> float:
    import torch

    host = torch.ones(size, dtype=torch.uint8, pin_memory=True)
    device = torch.empty(size, device="cuda", dtype=torch.uint8)
    there = _seconds(lambda: device.copy_(host, non_blocking=True))
    back = _seconds(lambda: host.copy_(device, non_blocking=True))
    return size / max(there, back)


def _seconds(work: Callable[[], object]) -> float:
    """Return how long the GPU takes for a piece of work, on average over a tenth of a second."""
    _timed(work, 1)  # the first loads kernels
    times = round(_WORK_S / max(_timed(work, 1), 1e-6))
    return _timed(work, min(max(1, times), _MOST_TIMES))


def _timed(work: Callable[[], object], times: int) -> float:
    import torch

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(times):
        work()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end)) / 1e3 / times


if __name__ == "__main__":
    main()
