"""The machine of a run: as the user measured it, and never one that only has the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.run_machine import case_here, machine_of_run
from longpole.store.run import StoredRun
from tests.builders import OFFSET, HandmadeRun, ms

FILE = """
name = "mine"
nodes = 9
[node]
cpu = "1 cores"
disk-read = "2 GB/s"
"""


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "machines"
    folder.mkdir()
    monkeypatch.setenv("LONGPOLE_MACHINES", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def recorded_on(host: str, folder: Path) -> StoredRun:
    run = HandmadeRun(folder / "runs")
    with run.log(bare=True) as log:
        log.note("host", name=host, kernel="6.1", machine="x86_64", boot="b", cores=4, memory_bytes=1 << 33)
        log.note("clock", at=0, offset=OFFSET, error=100)
        log.note("began", at=ms(0), launcher=10, exit_records=True, opens=False)
        log.process(1)
        log.exit(1, 0, 1000, used=[2_000_000, 0, 0, 0, 0, 0])
    return run.open()


def test_a_host_that_is_called_like_a_machine_of_ours_is_another(machines: Path, tmp_path: Path) -> None:
    with recorded_on("chameleon", tmp_path) as run:
        machine = machine_of_run(run)

    assert (machine.cores, list(machine.system)) == (4.0, [])


def test_a_file_of_the_user_is_taken_even_if_it_hides_one_of_ours(machines: Path, tmp_path: Path) -> None:
    (machines / "chameleon.toml").write_text(FILE)

    with recorded_on("chameleon.site.org", tmp_path) as run:
        machine = machine_of_run(run)

    assert (machine.name, machine.nodes, machine.node["disk-read"].nominal) == ("mine", 1, 2e9)


def test_cores_of_the_run_count_where_the_file_says_fewer(machines: Path, tmp_path: Path) -> None:
    (machines / "here.toml").write_text(FILE)

    with recorded_on("here", tmp_path) as run:
        case = case_here(run)

    assert case.machine.cores == 4.0
    assert "The machine file says 1 core, the run had 4: 4 count." in case.unknown
