from __future__ import annotations

import io

from longpole.model.machine import Machine, Overhead, Peak
from longpole.model.measured import LeftOut, Measured, Measurement
from longpole.present.machine import KnownMachine, show_machine, show_machines, show_measurement
from longpole.present.terminal import terminal

MACHINE = Machine(
    "made",
    4,
    {"flops": Peak(1.5e12, spread=0.06, source="measured: products"), "cpu": Peak(8)},
    {"network": Peak(25e9, per_node=True), "external": Peak(5e9, contended=1e9)},
    {"interpreter": Overhead(0.012, 0.2, "measured")},
    origin="made.toml",
    about="A quiet one.",
)


def shown(show, *arguments):
    stream = io.StringIO()
    console = terminal(stream)
    console.width = 80
    show(*arguments, console)
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def line(text, start):
    return next(line.split() for line in text.splitlines() if line.startswith(f" {start} "))


def test_a_machine_has_its_peaks_spreads_and_sources():
    text = shown(show_machine, MACHINE)

    assert "made  4 nodes  made.toml" in text
    assert "A quiet one." in text
    assert line(text, "flops (FLOPs)")[-6:] == ["1.5", "TFLOP/s", "6", "%", "measured:", "products"]
    assert line(text, "network")[-5:] == ["25", "GB/s", "a", "node", "nominal"]
    assert "5 GB/s (1 GB/s contended)" in text
    assert line(text, "interpreter")[1:3] == ["12", "ms"]


def test_a_measurement_has_a_line_for_each_resource_and_says_what_is_missing():
    measured = (
        Measured("memory", (1e9, 2e9), 2e9, 0.5, remark="Small arrays."),
        Measured("process", (0.001,), 0.001, 0.05),
    )

    text = shown(show_measurement, Measurement(MACHINE, measured, (LeftOut("hbm", "No GPU."),), others=0.3))

    assert line(text, "memory (memory bandwidth)")[-5:] == ["2", "GB/s", "50", "%", "2"]
    assert line(text, "process")[-5:] == ["1", "ms", "5", "%", "1"]
    assert "memory: Small arrays." in text
    assert "Left out: hbm. No GPU." in text
    assert "Others held 30 % of the cores" in text


def test_a_quiet_measurement_needs_no_more_words():
    text = shown(
        show_measurement, Measurement(MACHINE, (Measured("memory", (1e9,), 1e9, 0.05),), others=0.01)
    )

    assert len(text.strip().splitlines()) == 2


def test_a_list_tells_of_files_that_cannot_be_read():
    known = [KnownMachine("good", "/a/good.toml", 1792, ""), KnownMachine("bad", "/a/bad.toml", None, "Odd.")]

    text = shown(show_machines, known)

    assert line(text, "good")[1:] == ["1,792", "/a/good.toml"]
    assert line(text, "bad")[1:] == ["?", "Odd."]


def test_names_cannot_command_the_terminal():
    text = shown(show_machine, Machine("\x1b[31mred\nline", 1))

    assert "\x1b[31m" not in text
