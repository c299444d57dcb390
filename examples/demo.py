"""Record a small real training in PyTorch, ask what to change, change it, and see whether that was right.

It writes to a temporary folder; the recorded runs stay where all runs are kept.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TRAINING = Path(__file__).with_name("train.py")
LONGPOLE = [sys.executable, "-m", "longpole"]
NEXT = (
    ("show --all latest:demo", "every phase, every process, every limit"),
    ("explain latest:demo --timeline", "the run over time, in the terminal"),
    ("roofline latest:demo", "what bounds it on this machine, and how far it is from the roof"),
    ("query latest \"FROM phases WHERE kind = 'epoch'\"", "ask anything in SQL"),
    ("export latest --to perfetto", "a time line of every step, for ui.perfetto.dev"),
    ("doctor", "what this machine lets a recording see"),
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="longpole-demo-") as folder:
        record("demo", folder)
        print("$ longpole explain", flush=True)
        subprocess.run([*LONGPOLE, "explain", "latest:demo"], check=True)
        before = explained("demo")
        finding = next((one for one in before["findings"] if one["rule"] == "data-loading"), None)
        if finding:
            change(before, finding, folder)
    called = command()
    print("\nNext:")
    for arguments, meaning in NEXT:
        print(f"  {called} {arguments}\n      {meaning}")
    return 0


def record(name: str, folder: str, *options: str) -> None:
    training = [os.path.relpath(TRAINING), folder, *options]
    print("$ longpole record --name", name, "-- python", *training, flush=True)
    command = [*LONGPOLE, "record", "--name", name, "--", sys.executable, *training]
    subprocess.run(command, check=True)


def explained(name: str) -> dict[str, Any]:
    command = [*LONGPOLE, "explain", f"latest:{name}", "--json"]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def change(before: dict[str, Any], finding: dict[str, Any], folder: str) -> None:
    """Do what a finding says, and tell what was predicted and what came of it."""
    workers = re.search(r"num_workers=(\d+)", finding["advice"])
    if workers is None:
        return
    print(f"\nDone as it says, with {workers[1]} to load:\n")
    record("demo-changed", folder, "--workers", workers[1])
    after = explained("demo-changed")
    least, most = (before["makespan_s"] - finding[f"saving_{end}_s"] for end in ("high", "low"))
    predicted = before["makespan_s"] - finding["saving_s"]
    print(
        f"\nIt took {before['makespan_s']:.1f} s. Predicted: {predicted:.1f} s ({least:.1f} to {most:.1f})."
        f" Measured: {after['makespan_s']:.1f} s."
    )


def command() -> str:
    """Return how this user would call Longpole from here."""
    if shutil.which("longpole"):
        return "longpole"
    beside = Path(sys.executable).with_name("longpole")
    return str(beside) if beside.exists() else f"{sys.executable} -m longpole"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
