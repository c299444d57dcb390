"""Images of Python environments: jobs really run in them, with the packages of that environment alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.modules import WORKFLOWS, Modules

PROGRAM = WORKFLOWS / "image.py"
LEFT = "only_here.py"
WORKFLOW = """
longpole: 1
name: inside
image: {image}
tasks:
  look:
    run: "python3 look.py > {{out}}; sort -o {{out}} {{out}}"
    code: [look.py]
    outputs: {{out: seen.txt}}
results: [seen.txt]
"""
LOOK = """
import ctypes, json, os, sqlite3, ssl, sys, zlib
import only_here

print("package", only_here.SAID)
print("prefix", sys.prefix)
print("others", os.path.exists(os.environ.get("HOME", "") + "/nothing"), "numpy" in sys.modules)
"""


@pytest.fixture(scope="module")
def environment() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="environments-", dir="/var/tmp") as name:  # not in /tmp
        folder = Path(name, "own")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        [packages] = folder.glob("lib/python3*/site-packages")
        (packages / LEFT).write_text("SAID = 'of the environment'\n")
        (packages / "beside.py").symlink_to(LEFT)
        (packages / "nowhere.py").symlink_to("/nowhere/at/all.py")
        yield folder


@pytest.fixture(scope="module")
def image(environment: Path) -> Path:
    need("squashfs")
    made = environment.parent / "own.sqfs"
    done = call(made, "--environment", str(environment))
    assert done.returncode == 0, done.stderr
    assert "own.sqfs" in done.stdout
    return made


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def call(image: Path, *options: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROGRAM, image, *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        check=False,
    )


def test_jobs_find_the_packages_of_the_environment(bench: Bench, environment: Path, image: Path) -> None:
    need("bwrap")
    bench.write("look.py", LOOK)
    bench.write("inside.yaml", WORKFLOW.format(image=image))

    bench.run("inside.yaml")

    seen = dict(line.split(" ", 1) for line in (bench.results / "seen.txt").read_text().splitlines())
    assert seen == {
        "package": "of the environment",
        "prefix": str(environment),
        "others": "False False",
    }


def test_nothing_stays_beside_the_environment_and_the_image(environment: Path, image: Path) -> None:
    assert {path.name for path in environment.parent.iterdir()} == {environment.name, image.name}


def test_all_libraries_that_modules_name_are_there(environment: Path, tmp_path: Path) -> None:
    maker = Modules(".").image
    root = tmp_path / "root"

    made = maker.environment_of(environment)
    maker.lay_out(made, root)

    named = {str(path) for path in maker.libraries_of(made.library.rglob("lib-dynload/*.so"))}
    assert any("libc." in name for name in named)
    assert not [name for name in named if not (root / name.lstrip("/")).is_file()]


def test_packages_of_another_environment_stay_out(environment: Path, tmp_path: Path) -> None:
    maker = Modules(".").image
    maker.lay_out(maker.environment_of(environment), tmp_path / "root")

    packages = {path.resolve() for path in (tmp_path / "root").rglob("site-packages")}

    assert [sorted(os.listdir(each)) for each in packages] == [["beside.py", "nowhere.py", LEFT]]


def test_an_environment_that_is_none_is_told(tmp_path: Path) -> None:
    done = call(tmp_path / "no.sqfs", "--environment", str(tmp_path))

    assert done.returncode == 1
    assert done.stderr == f"image: {tmp_path} is no environment of Python: it has no bin/python3.\n"


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_an_environment_that_no_container_could_see_is_told(place: str, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=place) as name:
        python_that_fails(Path(name))
        done = call(tmp_path / "no.sqfs", "--environment", name)

    assert done.returncode == 1
    assert done.stderr.endswith(", which containers have of their own: make it elsewhere.\n")


def test_a_python_that_does_not_start_is_told(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        broken = python_that_fails(Path(name))
        done = call(tmp_path / "no.sqfs", "--environment", name)

    assert (done.returncode, done.stderr) == (1, f"image: {broken} does not start: broken.\n")


def python_that_fails(environment: Path) -> Path:
    broken = environment / "bin" / "python3"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho broken >&2; exit 3\n")
    broken.chmod(0o755)
    return broken


def test_a_missing_packer_is_told(environment: Path, tmp_path: Path) -> None:
    done = call(tmp_path / "no.sqfs", "--environment", str(environment), path=str(tmp_path))

    assert (done.returncode, done.stderr) == (1, "image: There is no mksquashfs: install squashfs-tools.\n")
    assert list(tmp_path.iterdir()) == []


def test_an_image_that_cannot_be_written_leaves_nothing(environment: Path, tmp_path: Path) -> None:
    need("squashfs")
    taken = tmp_path / "taken"
    taken.write_text("a file, and no folder")

    done = call(taken / "own.sqfs", "--environment", str(environment))

    assert done.returncode == 1
    assert done.stderr.startswith("image: ")
    assert list(tmp_path.iterdir()) == [taken]
