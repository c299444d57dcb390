"""Programs that launch work on a GPU, replayed with less time on the CPU."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.launches import NO_WORK, Launches, moved

MS = 1_000_000


def calls(*rows: tuple[float, float, bool, float, float]) -> Launches:
    """Calls as start, end, whether it waits, and start and end of its work, in ms; below 0 for no work."""
    columns = list(zip(*rows, strict=True))
    whole = [
        np.array([round(one * MS) if one >= 0 else NO_WORK for one in columns[at]]) for at in (0, 1, 3, 4)
    ]
    stream = np.zeros(len(rows), np.int64)
    return Launches(whole[0], whole[1], np.array(columns[2], bool), whole[2], whole[3], stream)


def training(
    steps: int, loading_ms: float, gpu_ms: float, launch_ms: float
) -> tuple[Launches, np.ndarray, np.ndarray]:
    """Steps that load, wait for a copy and launch one long kernel; with loads' ends and steps' starts."""
    rows, loads, starts, now, busy = [], [], [], 0.0, 0.0
    for _ in range(steps):
        starts.append(round(now * MS))
        now += loading_ms
        loads.append(round(now * MS))
        copied = max(now + 0.011, busy + 0.001)
        rows.append((now, copied + 1.0, True, copied, copied + 1.0))
        now = copied + 1.0
        began = max(now + 0.011, copied + 1.001)
        busy = began + gpu_ms
        rows.append((now, now + launch_ms, False, began, busy))
        now += launch_ms
    starts.append(round(now * MS))
    return calls(*rows), np.array(loads), np.array(starts)


def test_with_nothing_cut_out_all_is_as_it_was():
    launches, loads, starts = training(6, loading_ms=70, gpu_ms=100, launch_ms=40)

    again = moved(launches, loads, np.zeros(6, np.int64), starts)

    assert np.abs(again - starts).max() < 0.1 * MS


def test_what_is_saved_on_the_cpu_is_waited_for_again_where_the_gpu_is_busy():
    # load 70, copy 1, launch 40; the GPU takes 100: a step is 111 ms as long as loading hides behind the GPU
    launches, loads, starts = training(6, loading_ms=70, gpu_ms=100, launch_ms=40)
    steps = np.diff(starts) / MS
    assert steps[2] == np.float64(steps[3])

    without = np.diff(moved(launches, loads, np.full(6, 70 * MS), starts)) / MS

    # without loading the copy waits for the GPU: 100 for the kernel and 1 for the copy, not 41
    assert 100 < without[3] < 103


def test_where_the_gpu_is_idle_all_of_it_is_saved():
    launches, loads, starts = training(6, loading_ms=70, gpu_ms=10, launch_ms=40)

    without = np.diff(moved(launches, loads, np.full(6, 70 * MS), starts)) / MS

    assert abs(without[3] - (np.diff(starts)[3] / MS - 70)) < 0.5


@given(st.integers(1, 100), st.integers(1, 150), st.integers(1, 80), st.floats(0, 1))
def test_cutting_never_lengthens_and_saves_no_more_than_is_cut(loading, gpu, launch, share):
    launches, loads, starts = training(4, loading, gpu, launch)
    cut = np.full(4, round(loading * share * MS))

    again = moved(launches, loads, cut, starts)

    gained = (starts[-1] - starts[0]) - (again[-1] - again[0])
    assert -0.2 * MS <= gained <= cut.sum() + 0.2 * MS
