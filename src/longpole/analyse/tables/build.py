"""Which table is made of which runs."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.tables.kinds import jobs_table, kinds_table
from longpole.analyse.tables.models import models_table
from longpole.analyse.tables.placements import placements_table
from longpole.analyse.tables.profiles import profiles_table
from longpole.analyse.tables.repeats import repeats_of
from longpole.analyse.tables.runs import runs_table
from longpole.model.result_table import Like, ResultTable
from longpole.model.run_result import RunResult


def build_table(like: Like, results: Sequence[RunResult]) -> ResultTable:
    """Return a table of runs; the plain one is by kind of job if all are repeats of one setting."""
    groups = repeats_of(results)
    match like:
        case Like.I:
            return models_table(groups)
        case Like.II:
            return placements_table(groups)
        case Like.III:
            return jobs_table(groups)
        case Like.IV:
            return profiles_table(groups)
        case Like.PLAIN:
            return kinds_table(groups[0]) if len(groups) == 1 else runs_table(groups)
