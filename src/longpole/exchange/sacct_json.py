"""``sacct --json``: the same of all versions; newer ones wrap numbers and give states as lists."""

from __future__ import annotations

import json
from typing import Any

from longpole.exchange.sacct_entry import NO_NODES, Entry, moment_ns
from longpole.exchange.unreadable import UnreadableFileError

_NS = 1_000_000_000
_MOST = 1 << 60


def entries_of_json(text: str) -> tuple[list[Entry], list[str]]:
    """Return jobs and steps, and sentences on what could not be taken from it.

    Raises:
        UnreadableFileError: It is no JSON, has no list of jobs, or none of them can be understood.
    """
    entries: list[Entry] = []
    odd = 0
    jobs = _jobs(text)
    for job in jobs:
        try:
            own = _job(job)
            entries += [own, *(_step(own.job, step) for step in job.get("steps") or [])]
        except (AttributeError, TypeError, ValueError, KeyError, OverflowError):
            odd += 1
    if odd and not entries:
        raise UnreadableFileError(f"none of its {len(jobs):,} jobs has a job_id and times as sacct has them.")
    left_out = f"{odd:,} of the file's jobs could not be understood and were left out."
    known = any(entry.submit_line for entry in entries)
    gaps = [] if known else ["The file does not tell the submit line, so no dependency."]
    return entries, [*gaps, *([left_out] if odd else [])]


def _jobs(text: str) -> list[Any]:
    try:
        jobs = json.loads(text)["jobs"]
    except json.JSONDecodeError as error:
        raise UnreadableFileError(f"This is no JSON, or was cut off: {error}.") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnreadableFileError("This is no output of 'sacct --json': it holds no list of jobs.") from error
    if not isinstance(jobs, list):
        raise UnreadableFileError("This is no output of 'sacct --json': its jobs are no list.")
    return jobs


def _job(job: dict[str, Any]) -> Entry:
    array = job.get("array") or {}
    of_array, element = _number(array.get("job_id")), _number(array.get("task_id"))
    number = _number(job["job_id"])
    if number is None:
        raise ValueError("no id")
    identity = str(number)
    if of_array and element is not None:
        identity = f"{of_array}_{element}"
    elif of_array and array.get("task"):  # those that wait are kept as one
        identity = f"{of_array}_[{array['task']}]"
    needed = job.get("required") or {}
    never = {"start": None} if job.get("nodes") == NO_NODES else {}
    memory = _number(needed.get("memory")) or _number(needed.get("memory_per_node"))
    return Entry(
        job=identity,
        name=str(job.get("name") or ""),
        nodes=_nodes(job.get("nodes")),
        node_count=_number(job.get("allocation_nodes")),
        cpus=_number(needed.get("CPUs")),
        memory=f"{memory}M" if memory else "",
        partition=str(job.get("partition") or ""),
        folder=str(job.get("working_directory") or ""),
        submit_line=str(job.get("submit_line") or ""),
        never_eligible=(job.get("time") or {}).get("eligible") == 0,
        **_times({**(job.get("time") or {}), **never}, job=True),
        **_ending(job),
    )


def _step(job: str, step: dict[str, Any]) -> Entry:
    known = step.get("step") or {}
    identity = known.get("id")
    number = identity.get("step_id") if isinstance(identity, dict) else str(identity).rpartition(".")[2]
    peak = max((_number(one.get("count")) or 0 for one in _measured(step)), default=None)
    return Entry(
        job=job,
        step=str(number),
        name=str(known.get("name") or ""),
        nodes=_nodes(step.get("nodes")),
        tasks=_number((step.get("tasks") or {}).get("count")),
        peak_bytes=peak,
        **_times(step.get("time") or {}, job=False),
        **_ending(step),
    )


def _measured(step: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what was measured of memory: the largest task of a step."""
    used = ((step.get("tres") or {}).get("requested") or {}).get("max") or []
    return [one for one in used if isinstance(one, dict) and one.get("type") == "mem"]


def _times(times: dict[str, Any], *, job: bool) -> dict[str, Any]:
    names = {
        "start": "start",
        "end": "end",
        **({"submission": "submit", "eligible": "eligible"} if job else {}),
    }
    found = {f"{ours}_ns": _moment(times.get(theirs)) for theirs, ours in names.items()}
    return {**found, "cpu_user_ns": _spent(times.get("user")), "cpu_system_ns": _spent(times.get("system"))}


def _ending(thing: dict[str, Any]) -> dict[str, Any]:
    state = thing.get("state") or ""
    state = state.get("current", "") if isinstance(state, dict) else state
    state = state[0] if isinstance(state, list) and state else state
    code = thing.get("exit_code") or {}
    if not isinstance(code, dict):
        return {"state": str(state), "exit_code": _number(code)}
    signal = code.get("signal") or {}
    number = signal.get("id", signal.get("signal_id")) if isinstance(signal, dict) else signal
    return {
        "state": str(state or ""),
        "exit_code": _number(code.get("return_code")),
        "signal": _number(number) or None,
    }


def _nodes(nodes: object) -> str:
    if isinstance(nodes, dict):
        nodes = nodes.get("range") or ",".join(map(str, nodes.get("list") or []))
    return "" if nodes in (None, NO_NODES) else str(nodes)


def _moment(value: object) -> int | None:
    return moment_ns(_number(value) or 0)


def _spent(value: object) -> int | None:
    if not isinstance(value, dict):
        return None
    return (_number(value.get("seconds")) or 0) * _NS + (_number(value.get("microseconds")) or 0) * 1000


def _number(value: object) -> int | None:
    """Return a number, bare or wrapped as newer versions have it."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set", True) and not value.get("infinite") else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _MOST:
        return None
    return int(value)
