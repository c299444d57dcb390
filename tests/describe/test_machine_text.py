"""Machines as text: what is written reads back to an equal machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.describe.library import shipped_machines
from longpole.describe.machine_text import machine_text
from longpole.describe.machines import machine_from, read_machine
from longpole.model.machine import Machine, MachineError, Overhead, Peak
from longpole.model.resources import NODE, SYSTEM
from longpole.model.text import visible

TEXTS = st.text(min_size=1, max_size=20).map(lambda text: visible(" ".join(text.split()))).filter(bool)
SPREADS = st.floats(min_value=0, max_value=0.99)
AMOUNTS = st.floats(min_value=1e-9, max_value=1e20)


@st.composite
def peaks(draw, *, shared: bool) -> Peak:
    nominal = draw(AMOUNTS)
    contended = draw(st.none() | st.floats(min_value=0.01, max_value=1).map(lambda share: share * nominal))
    return Peak(nominal, contended, draw(SPREADS), draw(st.just(False) | st.just(shared)), draw(TEXTS))


MACHINES = st.builds(
    Machine,
    name=TEXTS,
    nodes=st.integers(min_value=1, max_value=10**6),
    node=st.dictionaries(st.sampled_from(list(NODE)), peaks(shared=False)),
    system=st.dictionaries(st.sampled_from(list(SYSTEM)), peaks(shared=True)),
    overheads=st.dictionaries(
        st.sampled_from(["interpreter", "process"]) | TEXTS.map(lambda name: f"import {name}"),
        st.builds(Overhead, AMOUNTS | st.just(0.0), SPREADS, TEXTS),
    ),
    origin=st.just("m.toml"),
    about=TEXTS | st.just(""),
)


@given(machine=MACHINES)
def test_a_written_machine_reads_back_to_an_equal_one(machine):
    assert machine_from(machine_text(machine), "m.toml") == machine


@pytest.mark.parametrize("name", shipped_machines())
def test_our_machines_read_back_from_their_text(name):
    machine = read_machine(shipped_machines()[name])

    assert machine_from(machine_text(machine), machine.origin) == machine


def test_the_text_looks_as_people_would_write_it():
    machine = Machine(
        "My machine",
        1,
        node={"hbm": Peak(4.8e12, spread=0.06, source="measured"), "cpu": Peak(24)},
        system={"network": Peak(1.25e9, per_node=True)},
        overheads={"interpreter": Overhead(0.018), "import a.b": Overhead(0.09, 0.1, "measured")},
    )

    assert machine_text(machine) == (
        'name = "My machine"\n'
        "nodes = 1\n"
        "\n"
        "[node]\n"
        'cpu = "24 cores"\n'
        'hbm = { nominal = "4.8 TB/s", spread = "6 %", source = "measured" }\n'
        "\n"
        "[system]\n"
        'network = { per-node = "1.25 GB/s" }\n'
        "\n"
        "[overhead]\n"
        'interpreter = "18 ms"\n'
        "\n"
        "[overhead.imports]\n"
        '"a.b" = { seconds = "90 ms", spread = "10 %", source = "measured" }\n'
    )


def test_an_overhead_without_a_key_is_refused_rather_than_lost():
    with pytest.raises(MachineError, match="no overhead 'bash'"):
        machine_text(Machine("M", 1, overheads={"bash": Overhead(1.0)}))
