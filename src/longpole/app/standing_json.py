"""Where a run of a workflow stands, as JSON."""

from __future__ import annotations

from longpole.model.standing import RunState, Standing, TypeStanding

SCHEMA_VERSION = 1


def standing_json(standing: Standing) -> dict[str, object]:
    """Return where a run stands for ``--json``: what is not known is null."""
    results = standing.results
    return {
        "schema_version": SCHEMA_VERSION,
        "run": standing.run,
        "workflow": standing.workflow,
        "placement": standing.placement,
        "state": standing.state,
        "exit_code": standing.exit_code,
        "makespan_s": standing.elapsed_s,
        "cores": standing.cores,
        "jobs_running": standing.jobs_running,
        "tasks": {"known": standing.known, **_counts(standing.sum, standing)},
        "types": [{"type": each.name, **_counts(each, standing)} for each in standing.types],
        "running": standing.running,
        "failures": standing.failures,
        "sessions": standing.sessions,
        "results": None
        if results is None
        else {"folder": results.folder, "files": results.files, "bytes": results.size_bytes},
    }


def _counts(each: TypeStanding, standing: Standing) -> dict[str, object]:
    left = standing.never if not each.name else each.left
    over = standing.state is not RunState.RUNNING
    return {
        "total": each.total,
        "ran": each.ran,
        "cached": each.cached,
        "running": each.running,
        "failed": each.failed,
        "stopped": each.stopped,
        "skipped": each.skipped,
        "never": left if over else 0,
        "to_come": 0 if over else left,
        "tried_again": each.tried_again,
        "known_after": each.known_after,
    }
