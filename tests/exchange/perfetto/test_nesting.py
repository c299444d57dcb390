from __future__ import annotations

import io

import pytest

from longpole.errors import UsageError
from longpole.exchange.perfetto import LaneTrack, NestedSlice, ProcessTrack, Slice, write_trace
from tests import trace_processor
from tests.parts import need

LANES = [LaneTrack(7, "lane"), LaneTrack(8, "other", 7, rank=1)]
ABOVE = "select id as above_id, name as above from slice"


def nested(name, times, depth, track=7, **arrows):
    return NestedSlice(Slice(track, name, "", *times), depth, **arrows)


def encode(slices, tracks=LANES):
    out = io.BytesIO()
    write_trace(out, tracks, (), (), slices)
    return out.getvalue()


@pytest.fixture
def ask(tmp_path):
    need("perfetto")

    def answer(data, sql):
        file = tmp_path / "run.pftrace"
        file.write_bytes(data)
        with trace_processor.opened(file) as processor:
            troubles = "select name, value from stats where severity != 'info' and value > 0"
            assert trace_processor.rows(processor, troubles) == []
            return trace_processor.rows(processor, sql)

    return answer


def test_perfetto_nests_as_told_even_what_has_no_length(ask):
    slices = [
        nested("empty", (5, 5), 0),
        nested("in empty", (5, 5), 1),
        nested("job", (5, 20), 0),
        nested("no wait", (5, 5), 1),
        nested("exec", (5, 20), 1),
        nested("last moment", (20, 20), 2),
        nested("next", (20, None), 0),
        nested("going on", (20, None), 1),
        nested("was", (21, 22), 2),
    ]

    found = ask(
        encode(slices),
        f"select name, dur, depth, above from slice left join ({ABOVE}) on parent_id = above_id order by id",
    )

    assert found == [
        ("empty", 0, 0, None),
        ("in empty", 0, 1, "empty"),
        ("job", 15, 0, None),
        ("no wait", 0, 1, "job"),
        ("exec", 15, 1, "job"),
        ("last moment", 0, 2, "exec"),
        ("next", -1, 0, None),
        ("going on", -1, 1, "next"),
        ("was", 1, 2, "going on"),
    ]


def test_perfetto_finds_arrows_between_slices(ask):
    slices = [
        nested("a", (0, 10), 0, leads_to=(1, 2)),
        nested("b", (10, 20), 0, comes_from=(1,), leads_to=(3,)),
        nested("c", (30, 40), 0, track=8, comes_from=(2, 3)),
    ]

    found = ask(
        encode(slices),
        """select one.name as one, two.name as two from flow
        join (select id as one_id, name from slice) one on slice_out = one_id
        join (select id as two_id, name from slice) two on slice_in = two_id order by one, two""",
    )

    assert found == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    "slices",
    [
        [nested("deep", (0, 5), 1)],
        [nested("a", (0, 5), 0), nested("longer", (1, 6), 1)],
        [nested("a", (0, 5), 0), nested("endless", (1, None), 1)],
        [nested("a", (0, 5), 0), nested("overlaps", (4, 6), 0)],
        [nested("a", (0, None), 0), nested("after no end", (4, 6), 0)],
        [nested("a", (3, 5), 0), nested("earlier", (2, 4), 1)],
        [nested("nowhere", (0, 5), 0, track=99)],
    ],
)
def test_what_does_not_nest_is_refused(slices):
    with pytest.raises(UsageError):
        encode(slices)


def test_a_process_may_hold_them():
    assert encode([nested("a", (0, 5), 0, track=1)], [ProcessTrack(1, "p", 10)])
