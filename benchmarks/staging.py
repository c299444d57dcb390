"""How fast many small files reach a job: our HTTP against one wget per file, tar through a socket, and cp.

Every round moves the same files by each means in turn, the order rotated, each into a folder of its own that
is new; a ratio is that of one round, and rounds are summed up by their median. ``wget`` fetches from the same
server of files, a process for each file; with a sample, its time is scaled to all files, which is said.
``tar`` packs into a TCP socket on the loopback and unpacks from it, with nothing in between. The server of
files is started once, as a run does.

Two gates, with the target on tmpfs: our HTTP with checksums is at least 50 times as fast as one wget per
file, and not slower than tar (median of the rounds at most 1). On a disk the same is reported, not gated.

    python -m benchmarks.staging [--files N] [--rounds N] [--wgets N | --all] [--disk FOLDER] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.ratios import summary
from longpole.model.staging import Item
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.http import HttpWay
from longpole.run.staging.server import FileServer

FILES, SIZE = 28_793, 13_000
WGETS = 500
AT_LEAST = 50.0
OURS, UNCHECKED, TAR, COPY, WGET = "http", "http, checksums off", "tar | socket | tar", "cp -r", "wget"
Figures = dict[str, Any]


class Scene:
    """Files to be moved, and the server that has them."""

    def __init__(self, source: Path, server: FileServer, wgets: int) -> None:
        self.source, self.server, self.wgets = source, server, wgets
        self.names = sorted(os.listdir(source))
        self.items = [Item(f"tiles/{name}", f"{source}/{name}") for name in self.names]

    def means(self) -> dict[str, Callable[[Path], float]]:
        return {
            OURS: lambda target: self.http(target, Checksums.ON),
            UNCHECKED: lambda target: self.http(target, Checksums.OFF),
            TAR: self.tar,
            COPY: self.copy,
            WGET: self.wget,
        }

    def http(self, target: Path, checksums: Checksums) -> float:
        way = HttpWay(self.server.url, self.server.token, checksums=checksums)
        began = time.monotonic()
        moved = way.bring(self.items, str(target))
        took = time.monotonic() - began
        assert moved.again == 0
        self.check(target / "tiles")
        return took

    def tar(self, target: Path) -> float:
        (target / "tiles").mkdir()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            began = time.monotonic()
            with socket.create_connection(listener.getsockname()) as here:
                there, _ = listener.accept()
                pack = subprocess.Popen(["tar", "-cf", "-", "-C", str(self.source), "."], stdout=there)
                there.close()
                subprocess.run(["tar", "-xf", "-", "-C", str(target / "tiles")], stdin=here, check=True)
                pack.wait()
            took = time.monotonic() - began
        assert pack.returncode == 0
        self.check(target / "tiles")
        return took

    def copy(self, target: Path) -> float:
        began = time.monotonic()
        subprocess.run(["cp", "-r", str(self.source), str(target / "tiles")], check=True)
        took = time.monotonic() - began
        self.check(target / "tiles")
        return took

    def wget(self, target: Path) -> float:
        """Fetch a sample of the files one by one; return what all would take."""
        header = f"Authorization: Bearer {self.server.token}"
        sample = self.names[:: max(1, len(self.names) // self.wgets)][: self.wgets]
        began = time.monotonic()
        for name in sample:
            url = f"{self.server.url}/file{quote(f'{self.source}/{name}')}"
            command = ["wget", "-q", "--no-proxy", f"--header={header}", "-O", f"{target}/{name}", url]
            subprocess.run(command, check=True)
        took = time.monotonic() - began
        assert all((target / name).stat().st_size == SIZE for name in sample)
        return took * len(self.names) / len(sample)

    def check(self, folder: Path) -> None:
        if sum(entry.stat().st_size for entry in os.scandir(folder)) != SIZE * len(self.names):
            sys.exit(f"what arrived in {folder} is not what was sent")


def main() -> int:
    """Measure, print, and say by the exit code whether the gates hold."""
    options = _arguments()
    if not shutil.which("wget"):
        sys.exit("this needs wget")
    memory = Path(tempfile.mkdtemp(prefix="longpole-staging-", dir="/dev/shm"))
    disk = Path(tempfile.mkdtemp(prefix="longpole-staging-", dir=options.disk))
    wgets = options.files if options.all else min(options.wgets, options.files)
    try:
        source = memory / "source"
        _make(source, options.files)
        with FileServer([str(source)]) as server:
            scene = Scene(source, server, wgets)
            found = {
                "tmpfs": _sum_up(measure(scene, memory, options.rounds)),
                "disk": _sum_up(measure(scene, disk, options.disk_rounds)),
            }
    finally:
        shutil.rmtree(memory)
        shutil.rmtree(disk)
    facts: Figures = {
        "schema_version": 1,
        "files": options.files,
        "file_bytes": SIZE,
        "wgets": wgets,
        "disk": options.disk,
        "targets": found,
        "gates": _gates(found["tmpfs"]),
    }
    print(json.dumps(facts, indent=1)) if options.json else _show(facts)
    return 0 if all(facts["gates"].values()) else 1


def measure(scene: Scene, folder: Path, rounds: int) -> list[dict[str, float]]:
    """Return, for each round, the seconds that each means took."""
    means = scene.means()
    names = list(means)
    found = []
    for turn in range(rounds):
        place = turn % len(names)
        took = {}
        for name in [*names[place:], *names[:place]]:
            target = folder / "target"
            target.mkdir()
            took[name] = means[name](target)
            shutil.rmtree(target)
            os.sync()  # what one means has left to be written is not to be another's burden
        found.append(took)
    return found


def _make(folder: Path, files: int) -> None:
    folder.mkdir()
    for number in range(files):
        (folder / f"tile {number:05d}.png").write_bytes(os.urandom(SIZE))


def _sum_up(rounds: Sequence[dict[str, float]]) -> Figures:
    if not rounds:
        return {}
    seconds = {
        name: {
            "median": statistics.median(one[name] for one in rounds),
            "least": min(one[name] for one in rounds),
            "most": max(one[name] for one in rounds),
        }
        for name in rounds[0]
    }
    return {
        "rounds": len(rounds),
        "seconds": seconds,
        "over_tar": {name: summary([one[name] / one[TAR] for one in rounds]) for name in rounds[0]},
        "times_wget": {name: summary([one[WGET] / one[name] for one in rounds]) for name in rounds[0]},
    }


def _gates(found: Figures) -> dict[str, bool]:
    return {
        f"at least {AT_LEAST:.0f} times as fast as one wget per file": found["times_wget"][OURS]["median"]
        >= AT_LEAST,
        "not slower than tar through a socket": found["over_tar"][OURS]["median"] <= 1,
    }


def _show(facts: Figures) -> None:
    sample = "" if facts["wgets"] == facts["files"] else f"; wget: {facts['wgets']} files, scaled to all"
    print(f"{facts['files']:,} files of {SIZE:,} bytes over the loopback{sample}")
    for target, found in facts["targets"].items():
        if not found:
            continue
        print(f"\nto {target}, {found['rounds']} rounds      median s  (least - most)   of tar's   wget's is")
        for name, took in found["seconds"].items():
            over, times = found["over_tar"][name]["median"], found["times_wget"][name]["median"]
            spread = f"({took['least']:.2f} - {took['most']:.2f})"
            print(f"  {name:22} {took['median']:12.2f}  {spread:16} {over:8.2f} {times:9.1f} x")
    print()
    for gate, holds in facts["gates"].items():
        print(f"{'holds' if holds else 'DOES NOT HOLD'}: on tmpfs, {gate}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=FILES, help="how many files")
    parser.add_argument("--rounds", type=int, default=7, help="rounds with the target on tmpfs")
    parser.add_argument("--disk-rounds", type=int, default=3, help="rounds with the target on a disk")
    parser.add_argument("--disk", default="/var/tmp", help="a folder on a disk")
    parser.add_argument("--wgets", type=int, default=WGETS, help="how many files wget fetches")
    parser.add_argument("--all", action="store_true", help="let wget fetch all of them")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
