"""Tables of results to be drawn."""

from __future__ import annotations

import io

from longpole.model.result_table import Figure, Gap, Heading, Like, Quantity, ResultTable, Row, Scale
from longpole.present.table_text import show_result_table
from longpole.present.terminal import terminal

HEADINGS = (
    Heading("n", "n", Quantity.COUNT),
    Heading("place", "in", Quantity.TEXT),
    Heading("read_bytes", "read", Quantity.BYTES, Scale.MEGABYTES),
    Heading("cpu_percent", "CPU %", Quantity.PERCENT),
    Heading("time_s", "time", Quantity.SECONDS),
    Heading("gpu_percent", "GPU %", Quantity.PERCENT),
)
TABLE = ResultTable(
    like=Like.III,
    title="What jobs used",
    of="task",
    runs=("c0ffee00", "0badcafe"),
    headings=HEADINGS,
    rows=(
        Row(
            "galaxy, baseline",
            "hpo & train_1",
            (
                *(Figure(2.0), Figure("node 1"), Figure(435_470_000.0, 12_300_000.0)),
                *(Figure(1426.22, 8.9), Figure(75.0, 0.25), Figure()),
            ),
        ),
        Row(
            "galaxy, baseline",
            "evaluate",
            (
                *(Figure(2.0), Figure(""), Figure(81_200.0)),
                *(Figure(0.0), Figure(0.0042), Figure(26.76)),
            ),
        ),
    ),
    gaps=(Gap(("GPU %",), "no GPU was assigned to it"),),
    notes=("± is the standard deviation over n runs.",),
)


def drawn(table: ResultTable, width: int = 80, encoding: str = "utf-8") -> str:
    """Return a table as text on a terminal of this width."""
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding=encoding)
    console = terminal(stream)
    console.width = width
    show_result_table(table, console)
    stream.flush()
    return written.getvalue().decode(encoding)
