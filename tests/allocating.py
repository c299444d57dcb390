"""Programs that allocate memory for tests, and touch it."""

from __future__ import annotations

MB = 1_000_000
_HOLD = "import sys, time; print('full', flush=True); sys.stdin.read()"
_TOUCH = "x = bytearray({size}); x[::4096] = b'x' * len(x[::4096])"


def allocate(size_bytes: int) -> str:
    """Return a program that takes memory, and ends."""
    return _TOUCH.format(size=size_bytes)


def hold(size_bytes: int) -> str:
    """Return a program that takes memory, says so, and keeps it until its input ends."""
    return f"{_TOUCH.format(size=size_bytes)}; {_HOLD}"


def hold_in_children(size_bytes: int, children: int) -> str:
    """Return a program that takes memory in each of its children, and keeps it until its input ends."""
    return (
        "import os, sys\n"
        "read, write = os.pipe()\n"
        f"for _ in range({children}):\n"
        "    if os.fork() == 0:\n"
        f"        {_TOUCH.format(size=size_bytes)}\n"
        "        os.write(write, b'.'); sys.stdin.read(); os._exit(0)\n"
        f"for _ in range({children}): os.read(read, 1)\n"
        f"{_HOLD}"
    )


def share_with_children(size_bytes: int, children: int) -> str:
    """Return a program that takes memory once, and has children that read it and keep it."""
    return (
        "import os, sys\n"
        f"{_TOUCH.format(size=size_bytes)}\n"
        f"for _ in range({children}):\n"
        "    if os.fork() == 0:\n"
        "        sum(x[::4096]); sys.stdin.read(); os._exit(0)\n"
        f"{_HOLD}"
    )


def lose_a_child(size_bytes: int) -> str:
    """Return a program whose child takes memory and which goes on for ever, whatever becomes of the child."""
    return (
        "import os, time\n"
        "if os.fork() == 0:\n"
        f"    {_TOUCH.format(size=size_bytes)}\n"
        "while True: time.sleep(0.1)\n"
    )
