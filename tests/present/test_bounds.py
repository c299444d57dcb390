from __future__ import annotations

from longpole.model.bounds import Bound, Gain, Held, How, Use
from tests.present.explained import explained

SPIN = Bound(
    what="spin",
    kind="phase",
    count=1,
    seconds=2.0,
    on_path_s=2.0,
    uses=(Use("cores", "cores", 0.972),),
    held=(Held("cores", How.OWN, 0.93), Held("cores", How.SATURATED, 0.07)),
    gains=(Gain("cores", 1.95),),
    waiting_share=0.0,
    unseen_share=0.0,
)
WRITE = Bound(
    what="write",
    kind="phase",
    count=3,
    seconds=0.317,
    on_path_s=0.3,
    uses=(Use("cores", "cores", 0.7), Use("storage written", "bytes/s", 503e6)),
    held=(Held("disk vda", How.SATURATED, 0.6),),
    gains=(Gain("cores", 0.2), Gain("disk vda", 0.1)),
    waiting_share=0.4,
    unseen_share=0.0,
)
TRAIN = Bound(
    what="a very long name of a phase that trains a model of galaxies",
    kind="step",
    count=500,
    seconds=68.0,
    on_path_s=60.0,
    uses=(Use("GPU", "fraction", 0.98), Use("cores", "cores", 4.0)),
    held=(Held("GPU", How.SATURATED, 0.97),),
    gains=(Gain("GPU", 66.0),),
    waiting_share=0.03,
    unseen_share=0.0,
)


def table(*bounds, width=80, **more):
    lines = explained(width, bounds=bounds, **more).splitlines()
    first = next(at for at, line in enumerate(lines) if "What bounds them" in line)
    return [line.rstrip() for line in lines[first : lines.index("", first)]]


def test_each_phase_has_its_time_its_use_what_bounds_it_and_its_gain():
    head, spin, note = table(SPIN)

    assert head.split()[-5:] == ["time", "cores", "bound", "by", "gain"]
    assert " ".join(spin.split()) == "spin 2.00 s 0.97 own core 93 %, all cores 7 % 98 %"
    assert note == " gain: of its own time, were what bounds it infinite; the run may gain nothing"


def test_storage_has_a_column_where_something_was_moved():
    head, _, write, _ = table(SPIN, WRITE)

    assert "storage" in head
    assert write.split() == ["write", "317", "ms", "0.70", "503", "MB/s", "disk", "vda", "60", "%", "32", "%"]


def test_a_gpu_has_a_column_and_long_names_give_way():
    head, train, note = table(TRAIN)

    assert "GPU" in head
    assert "…" in train
    assert "98 %" in train
    assert max(map(len, (head, train, note))) <= 80


def test_no_more_rows_than_asked_for():
    assert len(table(*[SPIN] * 12, most_rows=8)) == 8 + 2


def test_without_bounds_there_is_no_table():
    assert "What bounds them" not in explained()
