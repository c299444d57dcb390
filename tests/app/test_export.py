from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

from longpole.store.run import open_run
from tests import trace_processor
from tests.parts import need


@pytest.fixture
def run(recorded):
    with open_run(recorded.folder()) as stored:
        yield stored


def rows_of(run, sql):
    return [tuple(row.values()) for row in run.query(sql).records()]


def sums_by_name(slices):
    found = defaultdict(list)
    for name, length in slices:
        found[name].append(length)
    return {name: (len(lengths), sum(lengths)) for name, lengths in found.items()}


def test_csv_is_a_file_per_table_with_every_row(call, run, tmp_path):
    done = call("export", "--to", "csv", "--out", str(tmp_path / "out"), "--json")

    told = json.loads(done.stdout)
    assert (told["to"], told["path"]) == ("csv", str(tmp_path / "out"))
    for name, count in told["written"].items():
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == count
    with (tmp_path / "out" / "phases.csv").open(newline="") as file:
        phases = [(row["name"], int(row["duration_ns"])) for row in csv.DictReader(file)]
    assert Counter(phases) == Counter(rows_of(run, "SELECT name, duration_ns FROM phases"))


def test_parquet_is_what_the_run_holds(call, run, tmp_path):
    call("export", "--to", "parquet", "--out", str(tmp_path / "out"))

    for name, (file,) in run.tables.files().items():
        with open(file, "rb") as kept:
            assert (tmp_path / "out" / f"{name}.parquet").read_bytes() == kept.read()


def test_a_trace_has_every_phase_and_sample_as_they_are(call, run, tmp_path):
    call("export", "--to", "perfetto", "--out", str(tmp_path / "run.pftrace"))

    trace = proto.Trace()
    trace.ParseFromString((tmp_path / "run.pftrace").read_bytes())
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    kinds = Counter(packet.track_event.type for packet in events)
    assert kinds[proto.TrackEvent.TYPE_SLICE_BEGIN] == rows_of(run, "SELECT count(*) FROM phases")[0][0]
    assert kinds[proto.TrackEvent.TYPE_COUNTER] == rows_of(run, "SELECT count(*) FROM samples")[0][0]


def test_perfetto_counts_and_measures_as_we_do(call, run, tmp_path):
    need("perfetto")
    call("export", "--to", "perfetto", "--out", str(tmp_path / "run.pftrace"))

    with trace_processor.opened(tmp_path / "run.pftrace") as processor:
        slices = trace_processor.rows(processor, "select name, dur from slice")
        threads = trace_processor.rows(
            processor,
            """select thread.name as thread, slice.name as name, depth from slice
            join thread_track on track_id = thread_track.id join thread using (utid)""",
        )
        counters = trace_processor.rows(processor, "select count(*) as n from counter")

    assert sums_by_name(slices) == sums_by_name(rows_of(run, "SELECT name, duration_ns FROM phases"))
    assert ("main thread", "outer", 0) in threads
    assert ("main thread", "inner", 1) in threads
    assert ("thread 1", "thread", 0) in threads
    assert counters == rows_of(run, "SELECT count(*) AS n FROM samples")


@pytest.mark.parametrize("form", ["csv", "perfetto"])
def test_what_is_there_is_not_overwritten_unasked(call, tmp_path, form):
    target = tmp_path / "out"
    assert call("export", "--to", form, "--out", str(target)).returncode == 0

    refused = call("export", "--to", form, "--out", str(target))
    forced = call("export", "--to", form, "--out", str(target), "--force")

    assert refused.returncode == 2
    assert "is there already" in refused.stderr
    assert (forced.returncode, forced.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_cannot_be_written_to_is_a_sentence(call, tmp_path):
    done = call("export", "--to", "csv", "--out", str(tmp_path / "no" / "such" / "folder"))

    assert done.returncode == 2
    assert "Cannot write to" in done.stderr
