"""Real runs of several shapes: all their time has a name, and chains are never longer than the run."""

from __future__ import annotations

import pytest

from longpole.app.explaining import explain_run
from longpole.model.explanation import Explanation
from tests.recording import Someone

_THREADS = """
import subprocess
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    list(pool.map(lambda _: subprocess.run(["sleep", "0.6"], check=True), range(6)))
"""
_PROGRAMS = {
    "one after the other": ("sh", "-c", "sleep 1; sleep 0.7; sleep 0.3"),
    "a pipeline": ("sh", "-c", "(sleep 2; echo x) | cat | wc -c > /dev/null"),
    "side by side": ("sh", "-c", "seq 6 | xargs -P 3 -I{} sleep 0.{}5; sleep 1"),
    "threads": ("python3", "-c", _THREADS),
}


@pytest.fixture(params=_PROGRAMS)
def found(request: pytest.FixtureRequest, user: Someone) -> Explanation:
    program, *arguments = _PROGRAMS[request.param]
    recorded = user.record(user.python if program == "python3" else program, *arguments)
    assert recorded.returncode == 0, recorded.stderr
    with user.latest() as run:
        return explain_run(run).explanation


def test_all_time_of_a_real_run_is_blamed_and_hardly_any_has_no_name(found: Explanation) -> None:
    unnamed = sum(one.seconds for one in found.blame if one.kind == "idle")

    assert sum(one.seconds for one in found.blame) == pytest.approx(found.makespan_s, rel=1e-6)
    assert unnamed <= 0.02 * (found.makespan_s or 0.0)
    assert found.critical_path_s <= (found.makespan_s or 0.0)


def test_what_slept_is_blamed_and_not_who_waited_for_it(found: Explanation) -> None:
    assert found.blame[0].what in ("sleep", "cat", "wc")
