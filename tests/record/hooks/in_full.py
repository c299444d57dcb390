"""A program run both ways, where every step is noted in full however short it is, or none but a few."""

from __future__ import annotations

from tests.record.hooks.both_ways import PROGRAMS, Setting, run
from tests.record.hooks.twice import Row, Twice, looking_in
from tests.recording import Someone, somebody

_SQL = """SELECT phases.*, above.name AS above, above.kind AS above_kind, above.parent AS beyond
    FROM phases LEFT JOIN phases AS above ON phases.parent = above.id ORDER BY phases.start_ns"""


def run_in_full(program: str, *arguments: str) -> Twice:
    """Run a program bare, and recorded with all its steps."""
    with somebody(nobody=False) as user:
        command = [user.python, "-W", "always", str(PROGRAMS / program), *arguments]
        setting = Setting(user.runs.parent, looking_in(user))
        bare = run(user, command, setting)
        recorded = run(user, [*_recorder(user, "high"), *command], setting)
        rows: list[Row] = list(user.latest().query(_SQL).records())
        return Twice(bare, recorded, rows)


def count_steps(user: Someone, program: str, *arguments: str) -> dict[str, int]:
    """Record a program whose steps are only counted; return how many phases of each kind there were."""
    command = [*_recorder(user, "low"), user.python, str(PROGRAMS / program), *arguments]
    said = run(user, command, Setting(user.runs.parent, looking_in(user)))
    assert said.code == 0, said.err
    counts = "SELECT kind, sum(count)::BIGINT AS n FROM phases GROUP BY kind"
    return {str(row["kind"]): int(row["n"] or 0) for row in user.latest().query(counts).records()}


def _recorder(user: Someone, detail: str) -> list[str]:
    return [user.python, "-I", "-m", "longpole", "record", "--detail", detail, "--"]
