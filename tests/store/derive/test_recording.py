"""What the recorder said about its own work."""

from __future__ import annotations

from longpole.model.recording import RecordingNotes
from tests.builders import HandmadeRun, ms, small_run


def test_a_sound_recording(tmp_path):
    notes = small_run(tmp_path).open().recording

    assert notes == RecordingNotes(logs=1, ended=True, exit_records=True, reaped=1, hosts=1)


def test_losses_are_summed_over_all_nodes(tmp_path):
    run = HandmadeRun(tmp_path)
    losses = {
        "lost_in_rings": 9,
        "without_ring": 2,
        "unreadable": 3,
        "notes_left_out": 4,
        "exits_overrun": True,
    }
    for _ in range(2):
        with run.log() as log:
            log.note("lost", source=1, records=5, at=1)
            log.note("fault", source="gpu", text="gpu: no driver", at=1)
            log.note("forks", count=100)
            log.note("ended", at=ms(5), opens_overrun=False, **losses)

    notes = run.open().recording

    assert (notes.lost_in_rings, notes.without_ring, notes.unreadable, notes.notes_left_out) == (10, 4, 6, 8)
    assert (notes.exits_overrun, notes.opens_overrun, notes.forks, notes.logs) == (True, False, 200, 2)
    assert notes.faults == ("gpu: no driver",)
    assert notes.ended


def test_an_agent_that_was_killed_has_not_ended_in_order(tmp_path):
    run = HandmadeRun(tmp_path)
    run.log().__exit__()
    with run.log(bare=True) as log:
        log.note("fault", source="agent", text="the agent ended before the command", at=1)

    notes = run.open().recording

    assert (notes.ended, notes.forks, notes.recorder_cpu_s) == (False, None, None)
    assert notes.faults == ("the agent ended before the command",)
