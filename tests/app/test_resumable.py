"""Only one's own runs are gone on with: a run from a stranger is only data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import need
from tests.recording import NOBODY
from tests.running import Bench, bench_of

_USAGE = 2
_FAILS = """\
longpole: 1
name: fails
tasks: {t: {run: "test -e %s && echo > {out}", outputs: {out: made.txt}}}
"""


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def failed(bench: Bench, name: str = "fails.yaml") -> Path:
    """Return a run that failed, and would go well now."""
    bench.write(name, _FAILS % (bench.folder / "flag"))
    assert bench.call("run", name).returncode == 1
    (bench.folder / "flag").touch()
    return bench.runs()[-1]


def refused(bench: Bench, *arguments: str) -> str:
    """Go on with a run, which must be refused; return what is said, as one line."""
    done = bench.call("run", "--resume", *arguments)
    assert done.returncode == _USAGE
    assert not bench.results.exists()
    return " ".join(done.stderr.split())


def test_a_run_that_lies_elsewhere_is_gone_on_with_only_if_its_folder_is_chosen(bench: Bench) -> None:
    run = failed(bench)
    (bench.folder / "copies").mkdir()
    copy = run.rename(bench.folder / "copies" / run.name)

    said = refused(bench, str(copy))
    bench.run("--resume", str(copy), "--runs", str(copy.parent))

    assert "does not lie in" in said
    assert (bench.results / "made.txt").exists()


def test_a_link_to_a_run_that_lies_elsewhere_is_one_that_lies_elsewhere(bench: Bench) -> None:
    run = failed(bench)
    (bench.folder / "copies").mkdir()
    run.symlink_to(run.rename(bench.folder / "copies" / run.name))

    assert "does not lie in" in refused(bench, str(run))


def test_a_run_of_another_user_is_not_gone_on_with(bench: Bench) -> None:
    need("root")
    run = failed(bench)
    os.chown(run, NOBODY, NOBODY)

    assert "a run of another user" in refused(bench, str(run))


def test_a_copy_of_another_users_run_is_not_gone_on_with(bench: Bench) -> None:
    run = failed(bench)
    manifest = run / "run.json"
    told = manifest.read_text().replace(f'"user": {os.getuid()}', f'"user": {os.getuid() + 1}')
    assert told != manifest.read_text()
    manifest.write_text(told)

    assert "a run of another user" in refused(bench, str(run))


def test_a_workflow_that_lies_in_a_run_is_not_executed(bench: Bench) -> None:
    other = failed(bench)
    (bench.folder / "flag").unlink()
    run = failed(bench, str((other / "workflow.yaml").relative_to(bench.folder)))

    assert "lies within the folder of a run" in refused(bench, str(run))


def test_a_folder_of_the_users_is_not_removed_for_a_scratch(bench: Bench) -> None:
    run = failed(bench)
    letter = bench.write("home/Documents/letter", "dear")
    renamed = run.rename(run.with_name("x-Documents"))

    said = refused(bench, str(renamed), "--scratch", str(bench.folder / "home"))

    assert "has been renamed" in said
    assert letter.read_text() == "dear"
