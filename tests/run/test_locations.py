"""Where files lie that no task makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.model.workflow import Place, Workflow
from longpole.run.locations import Locations

_WEB = "http://host/model.bin"


def located(folder: Path, name: str, place: Place) -> str:
    """Return where a file lies, seen from a workflow in the folder ``wf``."""
    (folder / "wf").mkdir()
    workflow = Workflow("w", str(folder / "wf"), files={name: place})
    return Locations(workflow, str(folder / "work")).source(name).path.removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    ("name", "told", "path"),
    [
        ("data/", "../data/", "data/"),
        ("data/", "../data", "data/"),
        ("data/", "./more//data", "wf/more/data/"),
        ("raw.txt", "../data/./raw.txt", "data/raw.txt"),
    ],
)
def test_a_place_is_a_plain_path_and_that_of_a_directory_ends_in_a_slash(
    tmp_path: Path, name: str, told: str, path: str
) -> None:
    assert located(tmp_path, name, Place(told)) == path


def test_the_folder_above_a_link_is_that_of_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "far/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far/inner")

    assert located(tmp_path, "raw.txt", Place("../link/../raw.txt")) == "far/raw.txt"


def test_a_file_is_fetched_only_if_it_is_not_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")

    workflow = Workflow("w", str(tmp_path), files={"a": Place("there", _WEB), "b": Place("nowhere", _WEB)})
    locations = Locations(workflow, str(tmp_path / "work"))

    assert locations.source("a").url == ""
    assert locations.source("b").url == _WEB
    assert locations.source("b").path.startswith(f"{tmp_path}/work/fetched/")


def test_files_of_two_addresses_are_kept_apart(tmp_path: Path) -> None:
    workflows = [Workflow("w", "/wf", files={"a": Place("", f"http://host/{n}")}) for n in range(2)]

    paths = {Locations(workflow, str(tmp_path)).source("a").path for workflow in workflows}

    assert len(paths) == 2
    assert all(path.startswith(f"{tmp_path}/fetched/") for path in paths)
