"""Quantities: units of every dimension, what is refused and how, and that what is shown can be read."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.errors import UsageError
from longpole.model.quantity import parse_quantity, parse_share, show_quantity, write_quantity, write_share
from longpole.model.resources import Dimension

AMOUNTS = st.floats(min_value=1e-12, max_value=1e27)
DIMENSIONS = st.sampled_from(Dimension)


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("32 GB", Dimension.BYTES, 32e9),
        ("32GB", Dimension.BYTES, 32e9),
        (" 1.5e3  kB ", Dimension.BYTES, 1.5e6),
        ("1 KB", Dimension.BYTES, 1000),
        ("1 KiB", Dimension.BYTES, 1024),
        ("1 EiB", Dimension.BYTES, 2**60),
        ("8 b", Dimension.BYTES, 1),
        ("8 kbit", Dimension.BYTES, 1000),
        ("10 Gb/s", Dimension.BYTES_PER_SECOND, 1.25e9),
        ("10 Gbit/s", Dimension.BYTES_PER_SECOND, 1.25e9),
        ("10 GB/s", Dimension.BYTES_PER_SECOND, 1e10),
        ("25 GiB/s", Dimension.BYTES_PER_SECOND, 25 * 2**30),
        ("100 GFLOP", Dimension.FLOPS, 1e11),
        ("100 GFLOPs", Dimension.FLOPS, 1e11),
        ("38.8 TFLOP/s", Dimension.FLOPS_PER_SECOND, 38.8e12),
        ("38.8 TFLOPS", Dimension.FLOPS_PER_SECOND, 38.8e12),
        ("38.8 TFLOPs/s", Dimension.FLOPS_PER_SECOND, 38.8e12),
        ("5 ns", Dimension.SECONDS, 5e-9),
        ("5 us", Dimension.SECONDS, 5e-6),
        ("18 ms", Dimension.SECONDS, 0.018),
        ("10 min", Dimension.SECONDS, 600),
        ("2 h", Dimension.SECONDS, 7200),
        ("1 d", Dimension.SECONDS, 86400),
        ("64 cores", Dimension.CORES, 64),
        ("1 core", Dimension.CORES, 1),
        ("90 core s", Dimension.CORE_SECONDS, 90),
        ("2 core  h", Dimension.CORE_SECONDS, 7200),
        ("4 GPUs", Dimension.GPUS, 4),
        ("1 GPU", Dimension.GPUS, 1),
        ("1 GPU h", Dimension.GPU_SECONDS, 3600),
        ("7 ops", Dimension.OPERATIONS, 7),
        ("9 kops/s", Dimension.OPERATIONS_PER_SECOND, 9000),
        ("0.01 tasks/s", Dimension.TASKS_PER_SECOND, 0.01),
        ("3 /min", Dimension.TASKS_PER_SECOND, 0.05),
        ("0.5 epochs/s", Dimension.TASKS_PER_SECOND, 0.5),
        ("36 samples/h", Dimension.TASKS_PER_SECOND, 0.01),
        ("0 GB", Dimension.BYTES, 0),
        ("1e-99999999999999999999 GB", Dimension.BYTES, 0),
    ],
)
def test_units_are_read_as_people_mean_them(text, dimension, value):
    assert parse_quantity(text, dimension) == value


@pytest.mark.parametrize(
    ("text", "dimension", "sentence"),
    [
        ("32", Dimension.BYTES, "'32' has no unit; write it as 32 GB, 32 GiB or the like."),
        (
            "32 GB",
            Dimension.BYTES_PER_SECOND,
            "'32 GB' is in bytes, not in bytes per second; write it as",
        ),
        ("5 TFLOPs", Dimension.FLOPS_PER_SECOND, "not in floating-point operations per second"),
        ("5 TFLOPS", Dimension.FLOPS, "is in floating-point operations per second, not in"),
        ("5 parsecs", Dimension.SECONDS, "has an unknown unit, 'parsecs'; write it as 5 s, 5 ms, 5 min"),
        ("5 gb", Dimension.BYTES, "has an unknown unit, 'gb'"),
        ("many GB", Dimension.BYTES, "does not begin with a number; write it as 1 GB"),
        ("", Dimension.BYTES, "does not begin with a number"),
        ("1,5 GB", Dimension.BYTES, "has an unknown unit, ',5 GB'"),
        ("-3 GB", Dimension.BYTES, "'-3 GB' is negative; write it as 3 GB"),
        ("inf GB", Dimension.BYTES, "'inf GB' is not a finite number"),
        ("nan s", Dimension.SECONDS, "is not a finite number"),
        ("1e999 s", Dimension.SECONDS, "is too large"),
        ("1e999999999999999999 s", Dimension.SECONDS, "is too large"),
        ("5 GB/s", Dimension.TASKS_PER_SECOND, "is in bytes per second, not in tasks per second"),
        ("5 s/s", Dimension.TASKS_PER_SECOND, "has an unknown unit"),
        ("5 core", Dimension.CORE_SECONDS, "is in cores, not in core time; write it as 5 core s, 5 core h"),
        ("5 \x1b[2J", Dimension.SECONDS, r"'5 \x1b[2J' has an unknown unit"),
    ],
)
def test_what_is_wrong_is_said_with_units_that_are_right(text, dimension, sentence):
    with pytest.raises(UsageError) as caught:
        parse_quantity(text, dimension)

    assert sentence in str(caught.value)


def test_a_long_text_is_not_repeated_in_full():
    with pytest.raises(UsageError) as caught:
        parse_quantity("x" * 100_000, Dimension.BYTES)

    assert len(str(caught.value)) < 200


@given(value=AMOUNTS, dimension=DIMENSIONS)
def test_what_is_shown_reads_back_to_within_one_per_cent(value, dimension):
    shown = show_quantity(value, dimension)

    assert parse_quantity(shown, dimension) == pytest.approx(value, rel=0.01)


@given(value=st.floats(min_value=0, max_value=1e299), dimension=DIMENSIONS)
def test_what_is_written_reads_back_exactly(value, dimension):
    assert parse_quantity(write_quantity(value, dimension), dimension) == value


@given(share=st.floats(min_value=0, max_value=1))
def test_a_written_share_reads_back_exactly(share):
    assert parse_share(write_share(share)) == share


@given(number=st.integers(min_value=0, max_value=10**6))
def test_each_prefix_is_a_thousand_or_1024_of_the_one_before(number):
    def size(prefix: str) -> float:
        return parse_quantity(f"{number} {prefix}B", Dimension.BYTES)

    for small, large in ("kM", "MG", "GT", "TP", "PE"):
        assert size(large) == pytest.approx(1000 * size(small), rel=1e-15)
        assert size(f"{large}i") == 1024 * size(f"{small.upper()}i")


@given(text=st.text(max_size=30) | st.from_regex(r"[-+0-9.e]{1,9} ?[a-zA-Z/ ]{0,6}"), dimension=DIMENSIONS)
def test_any_text_gives_a_number_or_a_sentence(text, dimension):
    with suppress(UsageError):
        assert 0 <= parse_quantity(text, dimension) < float("inf")


@pytest.mark.parametrize(
    ("value", "dimension", "shown"),
    [
        (6.22e12, Dimension.BYTES_PER_SECOND, "6.22 TB/s"),
        (999.7e9, Dimension.BYTES, "1 TB"),
        (512, Dimension.BYTES, "512 B"),
        (0, Dimension.BYTES, "0 B"),
        (0, Dimension.SECONDS, "0 s"),
        (0.002577, Dimension.SECONDS, "2.58 ms"),
        (1024, Dimension.SECONDS, "17.1 min"),
        (7300, Dimension.CORE_SECONDS, "2.03 core h"),
        (160, Dimension.TASKS_PER_SECOND, "160 tasks/s"),
        (12345, Dimension.TASKS_PER_SECOND, "12345 tasks/s"),
        (1, Dimension.GPUS, "1 GPU"),
    ],
)
def test_values_are_shown_in_units_of_their_size(value, dimension, shown):
    assert show_quantity(value, dimension) == shown


@pytest.mark.parametrize("text", ["6", "6 percent", "%", "-1 %", "101 %", "nan %", "6 % off"])
def test_a_share_needs_a_number_up_to_100_and_its_sign(text):
    with pytest.raises(UsageError, match="is not a share"):
        parse_share(text)
