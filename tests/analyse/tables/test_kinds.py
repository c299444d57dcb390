"""Tables by kind of job: the plain one, and the one like the paper's III, worked by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.tables.build import build_table
from longpole.model.result_table import Gap, Like, Scale
from tests.analyse.tables.results import cell, kind, result, use

PAPER = use(
    kind("preprocess", jobs=6, attempts=6, time_s=135.21, cpu_s=135.0, read_bytes=435_470_000),
    kind("hpo", jobs=1, time_s=3421.48, cpu_s=48798.0, gpu_s=1820.9, gpu_time_s=3421.48, reasons={}),
)


def test_the_table_of_jobs_has_the_figures_of_the_paper_in_its_units():
    table = build_table(Like.III, [result("a", use=PAPER)])

    assert [(heading.title, heading.scale.value) for heading in table.headings] == [
        *(("count", ""), ("read", "MB"), ("written", "MB"), ("CPU %", ""), ("memory", "GB"), ("GPU %", "")),
        *(("GPU mem", "GB"), ("time", "s")),
    ]
    assert cell(table, "preprocess", "cpu_percent")[0] == pytest.approx(99.84, abs=0.01)
    assert cell(table, "hpo", "cpu_percent")[0] == pytest.approx(1426.2, abs=0.1)
    assert cell(table, "hpo", "gpu_percent")[0] == pytest.approx(53.22, abs=0.01)
    assert cell(table, "preprocess", "gpu_percent") == (None, None)
    assert [row.section for row in table.rows] == ["galaxy, baseline"] * 2


def test_repeats_have_a_mean_a_deviation_and_how_many_there_are():
    runs = [result(str(at), use=use(kind("train", time_s=time))) for at, time in enumerate((9.0, 10.0, 11.0))]

    table = build_table(Like.III, runs)

    assert cell(table, "train", "n") == (3.0, None)
    assert cell(table, "train", "time_s") == (10.0, 1.0)
    assert cell(table, "train", "read_bytes") == (40_000_000.0, 0.0)
    assert "± is the standard deviation over n runs." in table.notes


def test_gpu_memory_is_the_most_of_all_repeats():
    some = [use(kind("train", peak_gpu_memory_bytes=size, reasons={})) for size in (4_000, 9_000, 5_000)]

    table = build_table(Like.III, [result(str(at), use=one) for at, one in enumerate(some)])

    assert cell(table, "train", "peak_gpu_memory_bytes") == (9_000.0, None)


def test_the_plain_table_of_one_setting_ends_with_the_whole_run():
    table = build_table(Like.PLAIN, [result("a", use=use(kind("cut"), kind("score"), auxiliary=8))])

    assert [row.name for row in table.rows] == ["cut", "score", "whole run"]
    assert table.of == "task"
    assert table.gaps == (Gap(("GPU %", "GPU mem"), "no GPU"),)
    assert "Besides, there were 8 auxiliary jobs of the runner itself." in table.notes


def test_a_command_alone_has_one_row():
    table = build_table(Like.PLAIN, [result("a", use=use(kind("train"), unit="command"))])

    assert [row.name for row in table.rows] == ["train"]


def test_a_kind_that_only_some_repeats_have_says_of_how_many_it_is():
    runs = [result("a", use=use(kind("cut"))), result("b", use=use(kind("cut"), kind("retry")))]

    table = build_table(Like.III, runs)

    assert (cell(table, "cut", "n")[0], cell(table, "retry", "n")[0]) == (2.0, 1.0)


def test_a_figure_that_one_repeat_lacks_is_missing_and_says_in_how_many():
    unknown = kind("cut", read_bytes=None, reasons={"read_bytes": "nobody looked"})
    runs = [result("a", use=use(kind("cut"))), result("b", use=use(unknown))]

    table = build_table(Like.III, runs)

    assert cell(table, "cut", "read_bytes") == (None, None)
    assert Gap(("read",), "nobody looked (in 1 of 2 runs)") in table.gaps


def test_units_are_no_larger_than_what_a_column_holds():
    small = use(kind("a", read_bytes=50_000, written_bytes=120_000, peak_memory_bytes=14_000_000))

    table = build_table(Like.III, [result("a", use=small)])

    scales = {heading.name: heading.scale for heading in table.headings}
    assert scales["read_bytes"] is Scale.FREE
    assert scales["written_bytes"] is Scale.MEGABYTES
    assert scales["peak_memory_bytes"] is Scale.MEGABYTES


@given(
    st.lists(st.tuples(st.floats(0.001, 1e6), st.floats(0, 1e7)), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_cpu_percent_of_a_kind_times_its_time_is_its_cpu_time(amounts: list[tuple[float, float]], n: int):
    kinds = [kind(f"k{at}", time_s=time, cpu_s=cpu) for at, (time, cpu) in enumerate(amounts)]

    table = build_table(Like.III, [result(str(at), use=use(*kinds)) for at in range(n)])

    for each in kinds:
        percent, time = (cell(table, each.name, name)[0] for name in ("cpu_percent", "time_s"))
        assert isinstance(percent, float)
        assert isinstance(time, float)
        assert math.isclose(percent / 100 * time, each.cpu_s or 0.0, rel_tol=1e-9, abs_tol=1e-9)
