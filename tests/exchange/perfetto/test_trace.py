from __future__ import annotations

import io
import json
import os
import random
import tracemalloc
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

from longpole.errors import UsageError
from longpole.exchange.perfetto import (
    Count,
    CounterTrack,
    LaneTrack,
    ProcessTrack,
    Slice,
    rows_of,
    write_trace,
)
from tests import trace_processor
from tests.parts import need

EPOCH = 1_700_000_000_123_456_789
NEVER = float("inf")
LANE = LaneTrack(7, "lane")


def encode(tracks, slices=(), counts=()):
    out = io.BytesIO()
    write_trace(out, tracks, slices, counts)
    return out.getvalue()


def decode(data):
    trace = proto.Trace()
    trace.ParseFromString(data)
    return trace.packet


def descriptors(packets):
    return [packet.track_descriptor for packet in packets if packet.HasField("track_descriptor")]


def read_slices(packets):
    """What a reader of Perfetto's does: sort by time, keep ties in order, close what was opened last."""
    events = [packet for packet in packets if packet.HasField("track_event")]
    found, open_by_track = [], defaultdict(list)
    for packet in sorted(events, key=lambda packet: packet.timestamp):
        event = packet.track_event
        if event.type == proto.TrackEvent.TYPE_SLICE_BEGIN:
            open_by_track[event.track_uuid].append((event.name, packet.timestamp))
        else:
            found.append((*open_by_track[event.track_uuid].pop(), packet.timestamp))
    found += [(*begun, None) for track in open_by_track.values() for begun in track]
    return sorted(found, key=str)


def expected(slices):
    return sorted(((one.name, one.start_ns, one.end_ns) for one in slices), key=str)


@st.composite
def lanes_of_slices(draw, tracks=(7,)):
    """Slices with many equal times, zero lengths and unknown ends, sorted by start."""
    spans = draw(
        st.lists(
            st.tuples(st.sampled_from(tracks), st.integers(0, 12), st.none() | st.integers(0, 8)), max_size=40
        )
    )
    slices = [
        Slice(track, f"s{number}", "test", start, None if length is None else start + length)
        for number, (track, start, length) in enumerate(spans)
    ]
    return sorted(slices, key=lambda one: one.start_ns)


# ---------------------------------------------------------------------------------------------------- rows


def test_an_interval_that_overlaps_without_nesting_goes_to_a_further_row():
    rows = list(rows_of([(0, 10), (5, 15), (6, 9), (11, 14), (15, 20), (16, 18)]))

    assert rows == [0, 1, 0, 0, 0, 0]


def test_of_equal_starts_the_longer_encloses_the_shorter_when_it_comes_first():
    assert list(rows_of([(0, 10), (0, 10), (0, 4), (0, 0)])) == [0, 0, 0, 0]
    assert list(rows_of([(0, 4), (0, 10)])) == [0, 1]


def test_touching_intervals_share_a_row():
    assert list(rows_of([(0, 5), (5, 5), (5, 9), (9, 9)])) == [0, 0, 0, 0]


def test_an_unfinished_interval_encloses_all_that_follows_and_nests_in_no_finished_one():
    assert list(rows_of([(0, None), (1, None), (2, 3)])) == [0, 0, 0]
    assert list(rows_of([(0, 10), (2, None), (11, 12)])) == [0, 1, 0]


def test_the_tightest_enclosing_row_is_taken_before_an_empty_one():
    rows = list(rows_of([(0, 10), (1, 100), (2, 50), (3, 60), (4, 55), (5, 40)]))

    assert rows == [0, 1, 1, 2, 2, 1]
    assert list(rows_of([(0, 10), (1, 20), (2, 20)])) == [0, 1, 1]


def test_a_row_that_fell_empty_is_used_again():
    assert list(rows_of([(0, 10), (5, 15), (20, 30), (25, 35)])) == [0, 1, 0, 1]


@given(lanes_of_slices())
def test_on_every_row_intervals_nest(slices):
    spans = [(one.start_ns, NEVER if one.end_ns is None else one.end_ns) for one in slices]

    by_row = defaultdict(list)
    for row, span in zip(rows_of((one.start_ns, one.end_ns) for one in slices), spans, strict=True):
        by_row[row].append(span)

    for members in by_row.values():
        for later, (start, end) in enumerate(members):
            assert all(before[1] <= start or before[1] >= end for before in members[:later])
    assert set(by_row) == set(range(len(by_row)))


@given(lanes_of_slices())
def test_intervals_that_nest_stay_on_one_row(slices):
    ends: list[float] = []
    nested = []
    for one in sorted(slices, key=lambda one: (one.start_ns, -(one.end_ns or 1000))):
        end = NEVER if one.end_ns is None else one.end_ns
        while ends and ends[-1] <= one.start_ns:
            ends.pop()
        if not ends or end <= ends[-1]:
            ends.append(end)
            nested.append((one.start_ns, one.end_ns))

    assert set(rows_of(nested)) <= {0}


# ------------------------------------------------------------------------------------------------ encoding


@given(lanes_of_slices(tracks=(1, 7, 9)))
def test_a_reader_finds_every_slice_as_it_was(slices):
    tracks = [ProcessTrack(1, "process", 10), LaneTrack(7, "thread", 1, 11), LaneTrack(9, "lane")]

    assert read_slices(decode(encode(tracks, slices))) == expected(slices)


@given(st.integers(0, 2**63 - 1), st.integers(1, 2**64 - 1))
def test_times_and_uuids_are_exact_over_their_whole_range(at, uuid):
    begin, end = decode(encode([LaneTrack(uuid, "lane")], [Slice(uuid, "s", "", at, at)]))[1:]

    assert (begin.timestamp, end.timestamp) == (at, at)
    assert begin.track_event.track_uuid == end.track_event.track_uuid == uuid


@given(st.text(), st.text())
def test_any_name_and_category_can_be_written(name, category):
    begin = decode(encode([LaneTrack(7, name)], [Slice(7, name, category, 1, 2)]))[1].track_event

    readable = name.encode(errors="replace").decode()
    assert begin.name == readable
    assert list(begin.categories) == ([category.encode(errors="replace").decode()] if category else [])


def test_names_that_are_no_unicode_are_written_with_marks():
    begin = decode(encode([LANE], [Slice(7, "caf\udce9", "", 1, 2)]))[1].track_event

    assert begin.name == "caf?"


def test_processes_threads_lanes_and_counters_are_described():
    tracks = [
        ProcessTrack(1, "python train.py", 10),
        LaneTrack(2, "MainThread", 1, 10),
        LaneTrack(3, "stream 7", 1),
        CounterTrack(4, "memory", 1, "bytes"),
        CounterTrack(5, "power", None, "W"),
    ]

    process, thread, lane, memory, power = descriptors(decode(encode(tracks)))

    assert (process.uuid, process.process.pid, process.process.process_name) == (1, 10, "python train.py")
    assert (thread.uuid, thread.parent_uuid) == (2, 1)
    assert (thread.thread.pid, thread.thread.tid, thread.thread.thread_name) == (10, 10, "MainThread")
    assert (lane.name, lane.parent_uuid, lane.HasField("thread")) == ("stream 7", 1, False)
    assert (memory.name, memory.counter.unit) == ("memory", proto.CounterDescriptor.UNIT_SIZE_BYTES)
    assert (power.name, power.counter.unit_name, power.HasField("parent_uuid")) == ("power", "W", False)


def test_lanes_are_shown_in_the_order_of_their_ranks():
    tracks = [LaneTrack(1, "group"), LaneTrack(2, "a", 1), LaneTrack(3, "b", 1, rank=1)]

    group, first, second = descriptors(decode(encode(tracks)))

    assert group.child_ordering == proto.TrackDescriptor.EXPLICIT
    assert (first.sibling_order_rank, second.sibling_order_rank) == (0, 1)


def test_processes_of_one_pid_stay_apart_and_show_it():
    tracks = [ProcessTrack(1, "a", 1), ProcessTrack(2, "b", 1), ProcessTrack(3, "c"), ProcessTrack(4, "d", 0)]

    processes = [one.process for one in descriptors(decode(encode(tracks)))]

    assert len({one.pid for one in processes}) == 4
    assert [one.process_name for one in processes] == ["a", "b (pid 1)", "c", "d (pid 0)"]


def test_threads_of_one_tid_stay_apart():
    tracks = [ProcessTrack(1, "p", 10), LaneTrack(2, "old", 1, 11), LaneTrack(3, "new", 1, 11)]

    _process, old, new = descriptors(decode(encode(tracks)))

    assert (old.thread.tid, new.HasField("thread"), new.name) == (11, False, "new")


def test_a_further_row_is_a_track_under_its_lane_with_a_uuid_of_its_own():
    tracks = [LaneTrack(1, "a"), LaneTrack(2, "b")]
    slices = [Slice(2, "x", "", 0, 10), Slice(2, "y", "", 5, 15)]

    row = descriptors(decode(encode(tracks, slices)))[-1]

    assert (row.uuid, row.parent_uuid, row.name, row.sibling_order_rank) == (3, 2, "b (2)", 1)


def test_attributes_become_annotations_with_their_types():
    attributes = {"i": -5, "f": 0.5, "b": True, "s": "text", "n": None, "l": [1, {"k": "ä"}], "big": 2**63}

    begin = decode(encode([LANE], [Slice(7, "s", "", 1, 2, json.dumps(attributes))]))[1].track_event

    notes = {note.name: getattr(note, note.WhichOneof("value")) for note in begin.debug_annotations}
    assert notes == attributes | {"n": "null", "l": '[1, {"k": "ä"}]', "big": str(2**63)}
    assert [type(notes[key]) for key in "ifbs"] == [int, float, bool, str]


@pytest.mark.parametrize("attributes", ["[1, 2]", "not json", "3", '{"a": ', "[" * 100_000, "1" * 10_000])
def test_attributes_that_are_no_object_are_kept_whole(attributes):
    begin = decode(encode([LANE], [Slice(7, "s", "", 1, 2, attributes)]))[1].track_event

    assert [(note.name, note.string_value) for note in begin.debug_annotations] == [
        ("attributes", attributes)
    ]


def test_counts_are_exact():
    counts = [Count(7, EPOCH, 0.1), Count(7, EPOCH + 1, -3.0)]

    events = decode(encode([CounterTrack(7, "load")], counts=counts))[1:]

    found = [(one.timestamp, one.track_event.double_counter_value) for one in events]
    assert found == [(EPOCH, 0.1), (EPOCH + 1, -3.0)]
    assert {one.track_event.type for one in events} == {proto.TrackEvent.TYPE_COUNTER}


def test_memory_does_not_grow_with_the_number_of_slices():
    def peak(number):
        slices = (Slice(7, f"s{n % 9}", "c", 10 * n, 10 * n + 15, f'{{"n": {n}}}') for n in range(number))
        with open(os.devnull, "wb") as sink:
            tracemalloc.start()
            write_trace(sink, [LANE], slices, ())
            top = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return top

    peak(100)
    assert peak(20_000) < 2 * peak(1_000)


# -------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "make",
    [
        lambda: LaneTrack(0, "x"),
        lambda: CounterTrack(2**64, "x"),
        lambda: ProcessTrack(1, "x", -1),
        lambda: LaneTrack(1, "x", None, 2**31),
        lambda: Slice(7, "x", "", -1, 5),
        lambda: Slice(7, "x", "", 5, 4),
        lambda: Slice(7, "x", "", 5, 2**63),
        lambda: Count(7, -1, 0.0),
        lambda: encode([LANE, LaneTrack(7, "again")]),
        lambda: encode([LANE, LaneTrack(8, "child", 9)]),
        lambda: encode([CounterTrack(7, "load"), LaneTrack(8, "child", 7)]),
        lambda: encode([LANE], [Slice(8, "x", "", 1, 2)]),
        lambda: encode([CounterTrack(7, "load")], [Slice(7, "x", "", 1, 2)]),
        lambda: encode([LANE], [Slice(7, "x", "", 2, 3), Slice(7, "y", "", 1, 2)]),
        lambda: encode([LANE], counts=[Count(7, 1, 0.0)]),
    ],
)
def test_what_cannot_be_written_is_refused(make):
    with pytest.raises(UsageError):
        make()


# ------------------------------------------------------------------------ Perfetto's own trace processor


@pytest.fixture
def ask(tmp_path):
    """A function from a trace and a query to its rows, as Perfetto answers it."""
    need("perfetto")

    def answer(data, sql):
        file = tmp_path / "run.pftrace"
        file.write_bytes(data)
        with trace_processor.opened(file) as processor:
            troubles = "select name, value from stats where severity != 'info' and value > 0"
            assert trace_processor.rows(processor, troubles) == []
            return trace_processor.rows(processor, sql)

    return answer


def many_slices(tracks, number):
    """Slices from a few hundred starts: many of the same start, end or both, some empty, some unfinished."""
    chance = random.Random(20)
    unfinished = 10_000
    spans = [
        (chance.randrange(number // 4), chance.choice([unfinished, 500, 50, 5, 1, 0]), chance.choice(tracks))
        for _ in range(number)
    ]
    return [
        Slice(track, f"n{at % 7}", "test", EPOCH + at, None if length == unfinished else EPOCH + at + length)
        for at, length, track in sorted(spans, key=lambda span: (span[0], -span[1]))
    ]


def test_perfetto_finds_every_slice_as_it_was(ask):
    tracks = [LaneTrack(3, "thread", 1, 11), ProcessTrack(1, "a", 1), ProcessTrack(2, "b", 1)]
    tracks += [LaneTrack(4, "main", 2, 1), LaneTrack(5, "reused tid", 1, 11), LaneTrack(6, "alone")]
    slices = many_slices([1, 2, 3, 4, 5, 6], 4000)

    found = ask(encode(tracks, slices), "select name, ts, dur from slice")

    ours = (
        (one.name, one.start_ns, -1 if one.end_ns is None else one.end_ns - one.start_ns) for one in slices
    )
    assert Counter(found) == Counter(ours)


def test_perfetto_counts_and_sums_by_name_as_we_do(ask):
    slices = [one for one in many_slices([7], 1000) if one.end_ns is not None]

    found = ask(
        encode([LANE], slices), "select name, count(*) as n, sum(dur) as total from slice group by name"
    )

    counts, sums = Counter(one.name for one in slices), Counter[str]()
    for one in slices:
        sums[one.name] += one.end_ns - one.start_ns
    assert sorted(found) == [(name, counts[name], sums[name]) for name in sorted(counts)]


def test_perfetto_nests_as_we_do(ask):
    slices = [Slice(7, "job", "", 0, 100), Slice(7, "step", "", 0, 50), Slice(7, "instant", "", 50, 50)]
    slices += [
        Slice(7, "step", "", 50, 100),
        Slice(7, "overlaps", "", 60, 120),
        Slice(7, "open", "", 130, None),
    ]

    found = ask(encode([LANE], slices), "select name, ts, dur, depth from slice order by id")

    assert found == [
        ("job", 0, 100, 0),
        ("step", 0, 50, 1),
        ("instant", 50, 0, 1),
        ("step", 50, 50, 1),
        ("overlaps", 60, 60, 0),
        ("open", 130, -1, 0),
    ]


def test_perfetto_gives_further_rows_to_the_same_thread(ask):
    tracks = [LaneTrack(3, "worker", 1, 11), ProcessTrack(1, "python", 10)]
    slices = [Slice(3, "x", "", 0, 10), Slice(3, "y", "", 5, 15)]

    found = ask(
        encode(tracks, slices),
        """select process.name as process, pid, thread.name as thread, tid, slice.name as name from slice
        join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid)
        order by ts""",
    )

    assert found == [("python", 10, "worker", 11, "x"), ("python", 10, "worker", 11, "y")]


def test_perfetto_keeps_processes_of_one_pid_apart(ask):
    tracks = [
        ProcessTrack(1, "a", 1),
        ProcessTrack(2, "b", 1),
        LaneTrack(3, "t", 1, 1),
        LaneTrack(4, "t", 2, 1),
    ]
    slices = [Slice(3, "x", "", 0, 10), Slice(4, "y", "", 5, 15)]

    found = ask(
        encode(tracks, slices),
        """select process.name as process, is_main_thread, slice.name as name, dur from slice
        join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid)
        order by ts""",
    )

    assert found == [("a", 1, "x", 10), ("b (pid 1)", 1, "y", 10)]


def test_perfetto_reads_attributes_with_their_types(ask):
    attributes = json.dumps({"step": 3, "loss": 0.25, "last": False, "file": "a.h5"})

    found = ask(
        encode([LANE], [Slice(7, "s", "train", 1, 2, attributes)]),
        """select category, key, value_type, coalesce(int_value, real_value, string_value) as value
        from slice join args using (arg_set_id) where key glob 'debug.*' order by args.id""",
    )

    assert found == [
        ("train", "debug.step", "int", 3),
        ("train", "debug.loss", "real", 0.25),
        ("train", "debug.last", "bool", 0),
        ("train", "debug.file", "string", "a.h5"),
    ]


def test_perfetto_reads_counters_with_their_units(ask):
    tracks = [
        ProcessTrack(1, "python", 10),
        CounterTrack(2, "memory", 1, "bytes"),
        CounterTrack(3, "power", unit="W"),
    ]
    counts = [Count(2, EPOCH, 4096.0), Count(2, EPOCH + 1, 8192.0), Count(3, EPOCH, 0.1)]

    found = ask(
        encode(tracks, counts=counts),
        """select name, unit, ts, value from counter
        join counter_track on track_id = counter_track.id order by name, ts""",
    )

    assert found == [
        ("memory", "bytes", EPOCH, 4096.0),
        ("memory", "bytes", EPOCH + 1, 8192.0),
        ("power", "W", EPOCH, 0.1),
    ]
