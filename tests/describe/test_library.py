"""Names of machines and cases: the user's own come first, ours after them, and unknown ones are told."""

from __future__ import annotations

import pytest

from longpole.describe import library
from longpole.describe.library import (
    case_path,
    known_machines,
    machine_named,
    shipped_cases,
    user_machines_folder,
)
from longpole.errors import UsageError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "LONGPOLE_MACHINES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write_machine(folder, name: str, nodes: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(f'name = "{name}"\nnodes = {nodes}\n')


def test_ours_are_known_by_name():
    assert machine_named("perlmutter-gpu").nodes == 1792
    assert list(known_machines()) == sorted(known_machines())
    assert "lcls-cori" in shipped_cases()


def test_the_users_own_hide_ours_and_the_chosen_folder_hides_both(home, monkeypatch):
    write_machine(home / ".config" / "longpole" / "machines", "chameleon", 5)
    assert machine_named("chameleon").nodes == 5

    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert machine_named("chameleon").nodes == 3
    write_machine(home / "xdg" / "longpole" / "machines", "chameleon", 6)
    assert machine_named("chameleon").nodes == 6

    monkeypatch.setenv("LONGPOLE_MACHINES", str(home / "chosen"))
    assert machine_named("chameleon").nodes == 6
    write_machine(home / "chosen", "chameleon", 7)
    assert machine_named("chameleon").nodes == 7


def test_own_machines_are_kept_in_the_chosen_folder_else_with_other_configuration(home, monkeypatch):
    assert user_machines_folder() == home / ".config" / "longpole" / "machines"

    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert user_machines_folder() == home / ".config" / "longpole" / "machines"

    monkeypatch.setenv("LONGPOLE_MACHINES", str(home / "chosen"))
    assert user_machines_folder() == home / "chosen"


def test_a_path_is_read_as_one(home, monkeypatch):
    write_machine(home, "mine", 9)
    (home / "plain").write_text('name = "plain"\nnodes = 2\n')
    monkeypatch.chdir(home)

    assert machine_named("mine.toml").nodes == 9
    assert machine_named("./plain").nodes == 2
    assert machine_named("~/mine.toml").nodes == 9


def test_an_unknown_machine_is_told_with_those_there_are():
    with pytest.raises(UsageError) as caught:
        machine_named("perlmuter-gpu")

    assert str(caught.value).startswith(
        "There is no machine 'perlmuter-gpu'; there are chameleon, cori-haswell,"
    )
    assert str(caught.value).endswith("Did you mean 'perlmutter-gpu'?")


def test_a_case_is_a_path_or_a_name_of_ours_and_nothing_else(home):
    (home / "plain").write_text("")

    assert case_path("lcls-cori") == shipped_cases()["lcls-cori"]
    assert case_path("nosuch.toml") is not None
    assert case_path(f"{home}/plain") == home / "plain"
    assert case_path(str(home)) is None
    assert case_path("latest") is None


def test_an_installed_package_has_ours_within_itself(home, monkeypatch):
    write_machine(home / "longpole" / "shipped" / "machines", "within", 4)
    monkeypatch.setattr(library, "_PACKAGE", home / "longpole")

    assert list(known_machines()) == ["within"]
