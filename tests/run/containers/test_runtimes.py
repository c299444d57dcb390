"""A runtime is found by its name, or by what an image is and what is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.model.containers import ContainerError
from longpole.run.containers.apptainer import Apptainer
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.podman import Podman
from longpole.run.containers.runtimes import NAMES, choose, runtime_named


@pytest.fixture
def installed(monkeypatch) -> set[str]:
    """The runtimes that are taken for installed; all of them at first."""
    names = {"bwrap", "apptainer", "podman"}
    for kind in (Bubblewrap, Apptainer, Podman):
        said = {True: "", False: f"{kind.name} is not installed."}
        monkeypatch.setattr(kind, "missing", lambda self, said=said: said[self.name in names])
    return names


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_runtime_is_found_by_its_name(name: str) -> None:
    assert runtime_named(name).name == name


def test_an_unknown_name_is_answered_with_those_that_are_known() -> None:
    with pytest.raises(ContainerError, match=r"docker.*auto, none, bwrap, apptainer, podman"):
        runtime_named("docker")


def test_no_image_needs_no_container() -> None:
    assert choose("").name == "none"


def test_the_first_that_can_is_chosen(installed: set[str], tmp_path: Path) -> None:
    assert choose(str(tmp_path)).name == "bwrap"
    installed.remove("bwrap")
    assert choose(str(tmp_path)).name == "apptainer"
    installed.remove("apptainer")
    assert choose(str(tmp_path)).name == "podman"


def test_a_reference_of_this_machine_is_podmans_business(installed: set[str]) -> None:
    assert choose("localhost/mine").name == "podman"
    assert choose("docker://debian").name == "apptainer"


def test_where_nothing_can_all_reasons_are_told(installed: set[str], tmp_path: Path) -> None:
    installed.clear()

    with pytest.raises(ContainerError) as refused:
        choose(str(tmp_path))

    assert all(
        f"{name} is not installed" in str(refused.value).lower() for name in ("bwrap", "apptainer", "podman")
    )
    assert str(tmp_path) in str(refused.value)


def test_what_is_no_image_is_said_before_anything_else() -> None:
    with pytest.raises(ContainerError, match="There is no image"):
        choose("/no/such/image")
