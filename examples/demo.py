"""Record a small real training in PyTorch and show where its time went; it writes to a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TRAINING = Path(__file__).with_name("train.py")
NEXT = (
    ("show --all", "every phase, every process, every limit"),
    ("query latest \"FROM phases WHERE kind = 'epoch'\"", "ask anything in SQL"),
    ("export latest --to perfetto", "a time line of every step, for ui.perfetto.dev"),
    ("doctor", "what this machine lets a recording see"),
)


def main() -> int:
    longpole = [sys.executable, "-m", "longpole"]
    with tempfile.TemporaryDirectory(prefix="longpole-demo-") as folder:
        training = [sys.executable, os.path.relpath(TRAINING), folder]
        print("$ longpole record --name demo -- python examples/train.py", folder, flush=True)
        ended = subprocess.run([*longpole, "record", "--name", "demo", "--", *training], check=False)
        if ended.returncode:
            return ended.returncode
    print("$ longpole show", flush=True)
    shown = subprocess.run([*longpole, "show", "latest:demo"], check=False)
    called = command()
    print("Next:")
    for arguments, meaning in NEXT:
        print(f"  {called} {arguments}\n      {meaning}")
    return shown.returncode


def command() -> str:
    """Return how this user would call Longpole from here."""
    if shutil.which("longpole"):
        return "longpole"
    beside = Path(sys.executable).with_name("longpole")
    return str(beside) if beside.exists() else f"{sys.executable} -m longpole"


if __name__ == "__main__":
    sys.exit(main())
