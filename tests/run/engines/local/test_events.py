"""What has happened is told once, in its order."""

from __future__ import annotations

from longpole.run.engines.local.events import Events
from longpole.run.messages import Broken, Opened, Verdict
from tests.run.engines.local.alone import job


def test_events_are_told_once_in_their_order() -> None:
    events = Events()

    events.add(Opened(1))
    events.broken(job(number=2), "It broke.")
    events.broken(job(number=3), "It was stopped.", Verdict.STOPPED)

    assert len(events) == 3
    assert events.take() == [
        Opened(1),
        Broken(2, Verdict.FAILED, "It broke."),
        Broken(3, Verdict.STOPPED, "It was stopped."),
    ]
    assert events.take() == []
