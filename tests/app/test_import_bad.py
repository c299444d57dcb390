"""``longpole import`` of bad files: one sentence that names file and field, an exit code, and no run left."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app.importers import OURS
from longpole.app.main import cli
from tests.app.bad_inputs import DOUBTED, GOOD, REFUSED, Bad

Output = pytest.CaptureFixture[str]
# That what a trace without dependencies says is not cyclic needs no test.
WITHOUT_EDGES = {"nextflow", "kineto", "chrome"}
KINDS = {"damaged", "truncated", "huge id", "cyclic", "empty", "negative", "mislabelled"}


def called(bad: Bad) -> str:
    return f"{bad.form}-{bad.kind}-{bad.name}"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("bad", REFUSED, ids=called)
def test_a_bad_file_is_refused_with_one_sentence(bad: Bad, capsys: Output) -> None:
    Path(bad.name).write_bytes(bad.content)

    code = cli(["import", bad.name])

    out, err = capsys.readouterr()
    assert (code, out) == (3, "")
    assert err.startswith("longpole: ")
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    assert len(err) < 600
    assert "unforeseen" not in err
    assert bad.name in err
    assert bad.said in err
    assert not Path("runs").exists()


@pytest.mark.parametrize("bad", DOUBTED, ids=called)
def test_a_file_that_is_bad_in_part_is_read_and_the_part_is_named(bad: Bad, capsys: Output) -> None:
    Path(bad.name).write_bytes(bad.content)

    assert cli(["import", bad.name]) == 0

    out, err = capsys.readouterr()
    assert bad.said in err
    assert len(out + err) < 2000
    for look in ("show", "explain", "ls"):
        assert cli([look]) == 0, capsys.readouterr().err


def test_every_form_has_every_kind_of_bad_file() -> None:
    found = {(bad.form, bad.kind) for bad in (*REFUSED, *DOUBTED)}

    assert set(GOOD) == set(OURS)
    expected = {(form, kind) for form in GOOD for kind in KINDS}
    assert expected - found == {(form, "cyclic") for form in WITHOUT_EDGES}


@pytest.mark.parametrize("form", GOOD)
def test_the_good_files_are_good(form: str, capsys: Output) -> None:
    name, content = GOOD[form]
    Path(name).write_bytes(content)

    assert cli(["import", name]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("form", GOOD)
def test_a_file_of_another_form_than_is_said_is_refused(form: str, capsys: Output) -> None:
    other = "spark" if form != "spark" else "wfformat"
    Path("given").write_bytes(GOOD[other][1])

    assert cli(["import", "--format", form, "given"]) == 3

    err = capsys.readouterr().err
    assert "given" in err
    assert err.count("\n") == 1
    assert "unforeseen" not in err
    assert not Path("runs").exists()


def test_a_run_that_cannot_be_made_of_a_file_leaves_nothing(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    name, content = GOOD["spark"]
    Path(name).write_bytes(content)
    monkeypatch.setattr("longpole.app.imports.save", fail)

    assert cli(["import", name]) == 130

    assert list(Path("runs").iterdir()) == []
    assert "Traceback" not in capsys.readouterr().err
