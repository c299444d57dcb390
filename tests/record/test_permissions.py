from __future__ import annotations

import json
import subprocess

from longpole.record import probes
from longpole.record.permissions import permissions
from tests.parts import absence

AS_JSON = """
import json
from longpole.record.permissions import permissions
print(json.dumps({one.name: [one.permitted, one.remedy] for one in permissions()}))
"""


def test_probes_agree_with_what_tests_find():
    found = {one.name: one.permitted for one in permissions()}

    assert found["exit records"] == (absence("taskstats") == "")
    assert found["opened files"] == (absence("fanotify") == "")
    assert found["bytes of processes"]


def test_an_ordinary_user_is_told_what_to_do(anyone):
    done = subprocess.run(
        [*anyone.prefix, anyone.python, "-c", AS_JSON],
        capture_output=True,
        text=True,
        env=anyone.environment(),
        check=True,
    )

    answers = json.loads(done.stdout)
    assert done.stderr == ""
    assert answers["runs folder"] == [True, ""]
    if anyone.prefix:
        assert not answers["exit records"][0]
        assert "net_admin" in answers["exit records"][1]
        assert not answers["opened files"][0]


def test_a_runs_folder_that_cannot_be_made_is_an_answer():
    found = permissions("/proc/nosuch/runs")[0]

    assert (found.name, found.permitted) == ("runs folder", False)
    assert "LONGPOLE_RUNS" in found.remedy


def test_a_probe_that_fails_in_any_way_is_an_answer(monkeypatch):
    def explode():
        raise RuntimeError("strange kernel")

    monkeypatch.setattr(probes, "pressure", explode)

    (found,) = [one for one in permissions() if one.name == "pressure"]
    assert (found.permitted, found.found) == (False, "strange kernel")
