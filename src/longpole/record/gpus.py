"""Whether this machine has an NVIDIA driver, known without loading NVML."""

from __future__ import annotations

import os

_DEVICES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")


def gpu_driver_present() -> bool:
    """Return whether it is worth loading NVML at all."""
    return any(os.path.exists(path) for path in _DEVICES)
