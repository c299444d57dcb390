"""What an ordinary user cannot see is counted and said."""

from __future__ import annotations

import re
import sys

from longpole.app.overview import overview_of
from tests.parts import need
from tests.recording import Someone

SHORT = "import subprocess\nfor _ in range(200): subprocess.run(['true'])"


def test_processes_that_were_too_short_are_counted(nobody: Someone) -> None:
    nobody.record(nobody.python, "-c", SHORT)

    shown = overview_of(nobody.latest())

    [sentence] = [text for text in shown.unseen if "ended between two samples" in text]
    count = re.search(r"at most ([\d,]+) process", sentence)
    assert count is not None
    unseen = int(count.group(1).replace(",", ""))
    assert 200 <= shown.processes + unseen <= 400  # an upper bound: the host starts processes of others too


def test_nothing_is_too_short_where_exit_records_are_permitted(user: Someone) -> None:
    need("taskstats")
    user.record(sys.executable, "-c", SHORT)

    shown = overview_of(user.latest())

    assert shown.processes == 201
    assert not any("between two samples" in text for text in shown.unseen)


def test_phases_of_another_user_are_said_to_be_missing(user: Someone) -> None:
    need("nobody")
    user.record("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sleep", "0.5")

    shown = overview_of(user.latest())

    assert any("Phases of 1 process that ran as another user" in text for text in shown.unseen)
