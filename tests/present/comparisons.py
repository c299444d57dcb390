"""Comparisons for tests of what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.analyse.comparison import compare
from longpole.model.comparison import ComparedRun, Comparison, Metric

WORKFLOW = (Metric.END_TO_END, Metric.COMPUTE, Metric.STAGE_IN, Metric.STAGE_OUT)
COMMAND = (Metric.END_TO_END, Metric.CPU)
_SHARES = {
    Metric.END_TO_END: 1.0,
    Metric.COMPUTE: 3.2,
    Metric.STAGE_IN: 0.2,
    Metric.STAGE_OUT: 0.1,
    Metric.CPU: 0.7,
}


def comparison(
    seconds: dict[str, float],
    runs: int = 10,
    metrics: Sequence[Metric] = WORKFLOW,
    noise: float = 0.03,
    by: str = "placement",
) -> Comparison:
    """Return a comparison of groups that take so many seconds, the first the baseline."""
    drawn = np.random.default_rng(1)
    made = [
        ComparedRun(
            f"{at:08x}",
            group,
            1000.0 * at,
            {metric: mean * _SHARES[metric] * float(np.exp(noise * drawn.normal())) for metric in metrics},
        )
        for at, (group, mean) in enumerate(list(seconds.items()) * runs)
    ]
    found = compare(made, list(seconds), metrics)
    return Comparison(1, "tiles", by, next(iter(seconds)), metrics[0], 0.98, found.interleaved, found.metrics)


PLACEMENTS = comparison(
    {"baseline": 12.0, "container-installed": 11.9, "shared-fs": 13.4, "clustering": 10.1, "links": 9.0}
)
COMMANDS = comparison({"before": 3700.0, "after": 4100.0}, metrics=COMMAND, by="name")
FEW = comparison({"before": 0.004, "after": 0.005}, runs=2, metrics=COMMAND, by="name")
ALONE = comparison({"only": 5.0}, metrics=COMMAND, by="name")
ALL = {"placements": PLACEMENTS, "commands": COMMANDS, "few": FEW, "alone": ALONE}
