"""The command line for Apptainer, as a program in its place sees it: Apptainer itself is seldom installed.

This shows what we ask of it, by its manual, and not that it does so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.model.containers import ContainerError, Inside
from longpole.run.containers.apptainer import Apptainer
from tests.images import make_root

_IN_ITS_PLACE = f"""#!{sys.executable}
import json, sys
if "broken" in " ".join(sys.argv):
    sys.exit("FATAL: could not open image")
print(json.dumps(sys.argv[1:]))
"""


@pytest.fixture
def apptainer(tmp_path: Path, monkeypatch) -> Apptainer:
    program = tmp_path / "bin" / "apptainer"
    program.parent.mkdir()
    program.write_text(_IN_ITS_PLACE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return Apptainer()


def test_it_is_asked_for_what_a_job_may_see(apptainer: Apptainer, tmp_path: Path) -> None:
    (tmp_path / "a,b").write_text("")
    inside = Inside(str(tmp_path), ("a,b", "absent"), {"X": "secret"}, {"/shared": False})

    command = apptainer.command("/image.sif", inside, ["sh", "-c", "echo hi"])
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert told[0] == "exec"
    assert told[-4:] == ["/image.sif", "sh", "-c", "echo hi"]
    assert {"--contain", "--ipc", "--pid"} <= set(told)
    assert told[told.index("--pwd") + 1] == told[told.index("--home") + 1] == str(tmp_path)
    mounts = [told[place + 1] for place, part in enumerate(told) if part == "--mount"]
    assert mounts == [
        "type=bind,source=/shared,destination=/shared,ro",
        f"type=bind,source={tmp_path},destination={tmp_path}",
        f'type=bind,"source={tmp_path}/a,b","destination={tmp_path}/a,b",ro',
    ]
    assert "secret" not in " ".join(command)


def test_an_image_is_tried_once_and_its_failure_told(apptainer: Apptainer, tmp_path: Path) -> None:
    root = make_root(tmp_path / "root")

    assert apptainer.prepare(str(root)) == str(root)
    assert apptainer.prepare("docker://debian:12") == "docker://debian:12"
    with pytest.raises(ContainerError, match=r"docker://broken.*could not open image"):
        apptainer.prepare("docker://broken")


def test_an_image_of_podman_is_refused(apptainer: Apptainer) -> None:
    with pytest.raises(ContainerError, match="localhost/mine"):
        apptainer.prepare("localhost/mine")


def test_a_machine_without_it_is_told_where_to_get_it(monkeypatch) -> None:
    monkeypatch.setattr("longpole.run.containers.apptainer.program", lambda *_: "")

    assert "apptainer.org" in Apptainer().missing()
