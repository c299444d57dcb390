"""Control groups of version 2, in a kernel that has them: this machine's own may have version 1."""

from __future__ import annotations

import sys
from pathlib import Path

from longpole.run.memory.cgroup_v2 import _parents
from tests.parts import need
from tests.recording import Someone
from tests.uml import run_in_uml

ROOT = Path(__file__).parents[3]
# A driver in a group of its own, in a part of the tree that is given to an ordinary user.
_DELEGATED = """
cd /sys/fs/cgroup && mkdir -p user/driver && echo +memory > user/cgroup.subtree_control
chown -R 65534:65534 user
"""
_DRIVER = """
import os, subprocess, sys
from longpole.run.memory.limits import find_limits
limits = find_limits(os.getpid())
limit = limits.create('job', 50_000_000)
done = subprocess.run(limit.wrap([sys.executable, '-c', 'x = b"x" * 200_000_000']))
limit.close()
limits.close()
left = next(os.walk('/sys/fs/cgroup/user'))[1]
print('told', limits.how, done.returncode, limit.ran_out(), left, sep='|')
"""


def test_all_that_groups_promise_holds_under_version_2() -> None:
    need("uml")
    tests = "tests/run/memory/test_groups.py"
    python = f"{sys.executable} -m pytest -q -p no:cacheprovider --color=no --timeout=100 {tests}"
    environment = {"PYTHONPATH": str(ROOT / "src"), "LONGPOLE_REQUIRE": "memory-cgroup"}

    said = run_in_uml(f"cd {ROOT} && {python}", environment)

    assert said.code == 0, said.text
    assert "passed" in said.text


def test_an_ordinary_user_has_limits_where_a_part_of_the_tree_is_delegated(nobody: Someone) -> None:
    need("uml")

    said = run_in_uml(_DELEGATED + _run(nobody), {"PYTHONPATH": str(nobody.source)})

    assert "told|cgroup v2|-9|True|['driver']" in said.text


def test_an_ordinary_user_without_a_part_of_the_tree_is_watched(nobody: Someone) -> None:
    need("uml")
    closed = _DELEGATED + "chown -R root:root user\n"

    said = run_in_uml(closed + _run(nobody), {"PYTHONPATH": str(nobody.source)})

    assert "told|watched|0|False|['driver']" in said.text


def test_nobody_leaves_a_group_that_has_a_limit(tmp_path: Path) -> None:
    top, middle, own = tmp_path, tmp_path / "middle", tmp_path / "middle" / "own"
    own.mkdir(parents=True)
    for folder in (top, middle):
        (folder / "cgroup.subtree_control").write_text("cpu memory\n")
    (middle / "memory.max").write_text("max\n")
    assert list(_parents(str(own), str(top))) == [str(middle), str(top)]

    (middle / "memory.max").write_text("1000000\n")
    assert list(_parents(str(own), str(top))) == [str(middle)]

    (own / "memory.max").write_text("1000000\n")
    assert list(_parents(str(own), str(top))) == []


def _run(someone: Someone) -> str:
    program = someone.runs / "driver.py"
    program.write_text(_DRIVER)
    joining = "exec sh -c 'echo $$ > user/driver/cgroup.procs; exec \"$@\"' sh"
    return f"{joining} {' '.join(someone.prefix)} {someone.python} {program}"
