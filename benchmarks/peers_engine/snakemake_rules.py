"""Snakemake: one rule for all tasks; each makes a file, since its jobs are known by their files.

It has no way to tell when its first job began without another logger, so a run of one task is taken off.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from asked import Asked, answer, asked, timed

FAN_OUT = """
rule all:
    input: expand("out/{{n}}", n=range({tasks}))
rule one:
    output: "out/{{n}}"
    shell: "cp /dev/null {{output}}"
"""
CHAIN = """
rule all:
    input: "step{tasks}"
rule first:
    output: "step0"
    shell: "cp /dev/null {{output}}"
rule one:
    input: lambda wildcards: f"step{{int(wildcards.n) - 1}}"
    output: "step{{n,[1-9][0-9]*}}"
    shell: "cp {{input}} {{output}}"
"""


def main() -> None:
    """Run what is asked for."""
    what = asked()
    _work(what, 1)  # the first reads its modules from the disk
    once = timed(lambda: _work(what, 1))
    answer(timed(lambda: _work(what, what.tasks)) - once)


def _work(what: Asked, tasks: int) -> None:
    folder = Path(tempfile.mkdtemp(dir=what.folder))
    text = CHAIN if what.shape == "chain" else FAN_OUT
    (folder / "Snakefile").write_text(text.format(tasks=tasks))
    command = [sys.executable, "-m", "snakemake", "--cores", str(what.cores), "--quiet", "progress", "rules"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    found = subprocess.run(command, cwd=folder, env=environment, check=False, **quiet)
    if found.returncode:
        raise SystemExit(found.stderr.decode(errors="replace")[-2000:])


if __name__ == "__main__":
    main()
