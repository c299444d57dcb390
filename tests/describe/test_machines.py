"""Machine files: what they say, and what is said of those that cannot be."""

from __future__ import annotations

import pytest

from longpole.describe.machines import machine_from, read_machine
from longpole.errors import UsageError
from longpole.model.machine import Machine, Overhead, Peak

WHOLE = """
name = "Perlmutter GPU"
nodes = 1792
about = "A machine."
[node]
cpu = "64 cores"
pcie = { nominal = "100 GB/s", spread = "6 %", source = "measured" }
[system]
file-system = "5600 GB/s"
network = { per-node = "100 GB/s" }
external = { nominal = "25 GB/s", contended = "5 GB/s" }
[overhead]
interpreter = { seconds = "18 ms", spread = "10 %", source = "measured" }
process = "1 ms"
[overhead.imports]
numpy = "90 ms"
"""


def machine(text: str) -> Machine:
    return machine_from(f'name = "M"\nnodes = 2\n{text}', "m.toml")


def complaint(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        machine(text)
    return str(caught.value)


def test_a_machine_is_all_that_its_file_says(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(WHOLE)

    assert read_machine(path) == Machine(
        name="Perlmutter GPU",
        nodes=1792,
        node={"cpu": Peak(64), "pcie": Peak(100e9, spread=0.06, source="measured")},
        system={
            "file-system": Peak(5.6e12),
            "network": Peak(100e9, per_node=True),
            "external": Peak(25e9, contended=5e9),
        },
        overheads={
            "interpreter": Overhead(0.018, 0.1, "measured"),
            "process": Overhead(0.001),
            "import numpy": Overhead(0.09),
        },
        origin=str(path),
        about="A machine.",
    )


def test_a_machine_needs_a_name_and_nodes_only():
    assert machine("") == Machine("M", 2, origin="m.toml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour = 1", "m.toml: colour: There is no such key here; there are name, nodes"),
        ("node = 5", "m.toml: node: This must be a table, not the number 5."),
        ('[node]\nmemroy = "1 GB/s"', "m.toml: node.memroy: There is no such key here; there are cpu, flops"),
        ('[node]\nmemroy = "1 GB/s"', "Did you mean 'memory'?"),
        ('[node]\nexternal = "1 GB/s"', "m.toml: node.external: There is no such key here"),
        ('[node]\nhbm = "1 GB"', "m.toml: node.hbm: '1 GB' is in bytes, not in bytes per second"),
        ("[node]\nhbm = 5", 'm.toml: node.hbm: This must be a text with a unit, such as "5 GB/s"'),
        ('[node]\nhbm = "0 GB/s"', "m.toml: node.hbm: This must be above zero, not the text '0 GB/s'."),
        ('[node]\nhbm = { spread = "1 %" }', "m.toml: node.hbm: The key 'nominal' is missing."),
        ('[node]\nhbm = { per-node = "1 GB/s" }', "m.toml: node.hbm.per-node: There is no such key here"),
        ('[node]\nhbm = { nominal = "1 GB/s", spread = 6 }', "node.hbm.spread: This must be a text such as"),
        (
            '[node]\nhbm = { nominal = "1 GB/s", spread = "100 %" }',
            "node.hbm.spread: This must be below 100 %",
        ),
        ('[node]\nhbm = { nominal = "1 GB/s", spread = "-5 %" }', "node.hbm.spread: '-5 %' is not a share"),
        (
            '[system]\nexternal = { nominal = "1 GB/s", contended = "2 GB/s" }',
            "system.external.contended: This must be at most the peak without others, 1 GB/s, not 2 GB/s.",
        ),
        (
            '[system]\nnetwork = { nominal = "1 GB/s", per-node = "2 GB/s" }',
            "m.toml: system.network: This has both 'nominal' (of all) and 'per-node'; keep one.",
        ),
        (
            '[overhead]\nbash = "1 s"',
            "m.toml: overhead.bash: There is no such key here; there are interpreter",
        ),
        ('[overhead]\nprocess = "1 GB"', "m.toml: overhead.process: '1 GB' is in bytes, not in time"),
        ('[overhead]\nprocess = { second = "1 s" }', "Did you mean 'seconds'?"),
        ("[overhead]\nimports = 3", "m.toml: overhead.imports: This must be a table"),
        (
            "[overhead.imports]\nnumpy = true",
            "m.toml: overhead.imports.numpy: This must be a text with a unit",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_key(text, sentence):
    assert sentence in complaint(text)


@pytest.mark.parametrize("nodes", ["0", "-1", "1.5", '"2"', "true"])
def test_nodes_are_a_whole_number_from_one(nodes):
    with pytest.raises(UsageError, match=r"m\.toml: nodes: This must be"):
        machine_from(f'name = "M"\nnodes = {nodes}', "m.toml")
