"""A workflow of 200 tasks that keep ledgers: when each begins and ends, and whether it was alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.running import Bench

TASKS = 200
WIDTH, JOINS = 64, 6
# Whoever is alive of an earlier execution holds the lock, were it only a child of it.
WORK = """
ledger=$1; out=$2; shift 2
exec 9>> "$ledger"
flock -n 9 || echo "overlap $$" >&9
echo "begin $$" >&9
cat /dev/null "$@" > "$out"
echo "$out" >> "$out"
echo "end $$" >&9
"""
WORKFLOW = f"""
longpole: 1
name: ledgers
parameters: {{ledgers: .}}
sets:
  n: {{values: {list(range(WIDTH))}}}
  k: {{values: {list(range(JOINS))}}}
tasks:
  seed:
    code: [work.sh]
    run: "sh work.sh {{ledgers}}/seed {{out}}"
    outputs: {{out: seed.txt}}
  one:
    for_each: [n]
    code: [work.sh]
    inputs: {{before: seed.txt}}
    run: "sh work.sh {{ledgers}}/one-{{n}} {{out}} {{before}}"
    outputs: {{out: "one/{{n}}.txt"}}
  two:
    for_each: [n]
    code: [work.sh]
    inputs: {{before: "one/{{n}}.txt"}}
    run: "sh work.sh {{ledgers}}/two-{{n}} {{out}} {{before}}"
    outputs: {{out: "two/{{n}}.txt"}}
  three:
    for_each: [n]
    code: [work.sh]
    inputs: {{before: "two/{{n}}.txt"}}
    run: "sh work.sh {{ledgers}}/three-{{n}} {{out}} {{before}}"
    outputs: {{out: "three/{{n}}.txt"}}
  join:
    for_each: [k]
    code: [work.sh]
    inputs: {{before: "three/{{n}}.txt"}}
    run: "sh work.sh {{ledgers}}/join-{{k}} {{out}} {{before}}"
    outputs: {{out: "join/{{k}}.txt"}}
    resources: {{memory: 300 MB}}
  last:
    code: [work.sh]
    inputs: {{before: "join/{{k}}.txt"}}
    run: "sh work.sh {{ledgers}}/last {{out}} {{before}}"
    outputs: {{out: last.txt}}
results: [last.txt, "join/{{k}}.txt"]
"""


@dataclass(frozen=True, slots=True)
class Ledgers:
    """One run of the workflow, and where its ledgers, files and results are."""

    bench: Bench
    name: str

    @property
    def folder(self) -> Path:
        """Where the ledgers are."""
        return self.bench.folder / f"ledgers-{self.name}"

    @property
    def work(self) -> Path:
        """Where the run keeps its files."""
        return self.bench.folder / f"work-{self.name}"

    @property
    def out(self) -> Path:
        """Where its results go."""
        return self.bench.folder / f"out-{self.name}"

    def lay_out(self, *options: str) -> list[str]:
        """Write the workflow; return the arguments of ``longpole`` that run it."""
        self.bench.write("work.sh", WORK)
        self.bench.write("ledgers.yaml", WORKFLOW)
        self.folder.mkdir()
        self.bench.give(self.folder)
        places = ["--work", str(self.work), "--out", str(self.out), "--set", f"ledgers={self.folder}"]
        return ["run", "ledgers.yaml", *places, *options]

    def count(self) -> int:
        """Return how many tasks have begun."""
        return sum(1 for _ in self.folder.iterdir())

    def begun(self) -> dict[str, int]:
        """Return how often each task has begun."""
        return {path.name: path.read_text().count("begin") for path in self.folder.iterdir()}

    def overlaps(self) -> list[str]:
        """Return the tasks of which two executions lived at once."""
        return [path.name for path in self.folder.iterdir() if "overlap" in path.read_text()]

    def made(self) -> dict[str, str]:
        """Return what is in every file that was made, and in every result."""
        found = {}
        for kind, root in (("kept", self.work / "files"), ("result", self.out)):
            for path in root.rglob("*"):
                if path.is_file():
                    found[f"{kind} {path.relative_to(root)}"] = path.read_text()
        return found


def ledger_of(task: str) -> str:
    """Return the ledger of a task by its name in the run, ``one n=3``."""
    name, _, member = task.partition(" ")
    return f"{name}-{member.partition('=')[2]}" if member else name
