"""Small event logs of Spark for tests, written by hand: events by what they say."""

from __future__ import annotations

import json
from typing import Any

from longpole.exchange.spark import SPARK
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import given


def event(kind: str, **fields: Any) -> str:
    """Return a line; keys are as Spark spells them, with underscores for spaces."""
    spelled = {name.replace("_", " "): value for name, value in fields.items()}
    return json.dumps({"Event": f"SparkListener{kind}", **spelled})


def began(at: int = 1000, app: str = "app-1") -> list[str]:
    """Return how a log begins."""
    return [
        event("LogStart", Spark_Version="4.0.0"),
        event(
            "ExecutorAdded", Timestamp=at + 5, Executor_ID="1", Executor_Info={"Host": "n1", "Total Cores": 2}
        ),
        event("ApplicationStart", App_Name="counting", App_ID=app, Timestamp=at, User="me"),
    ]


def job(number: int, at: int, *stages: int) -> str:
    """Return the begin of a job."""
    return event(
        "JobStart",
        Job_ID=number,
        Submission_Time=at,
        Stage_IDs=stages,
        Properties={"callSite.short": f"collect at x.py:{number}"},
    )


def job_end(number: int, at: int, result: str = "JobSucceeded") -> str:
    """Return the end of a job."""
    return event("JobEnd", Job_ID=number, Completion_Time=at, Job_Result={"Result": result})


def stage(number: int, at: int, *parents: int, end: int | None = None, **more: Any) -> str:
    """Return the submission of a stage, or its end."""
    info = {
        "Stage ID": number,
        "Stage Attempt ID": 0,
        "Stage Name": f"map at x.py:{number}",
        "Number of Tasks": 2,
        "Parent IDs": parents,
        "Submission Time": at,
    }
    ended = {} if end is None else {"Completion Time": end}
    kind = "StageSubmitted" if end is None else "StageCompleted"
    return event(kind, Stage_Info={**info, **ended, **more})


def task(number: int, of: int, at: int, end: int | None = None, **more: Any) -> str:
    """Return the launch of a try of a task, or its end; ``more`` is of ``Task Info`` or ``Task Metrics``."""
    info = {"Task ID": number, "Index": number, "Partition ID": number, "Launch Time": at, "Executor ID": "1"}
    info |= {"Host": "n1", "Finish Time": end or 0, **more.pop("info", {})}
    known = {"Stage ID": of, "Stage Attempt ID": more.pop("attempt", 0), "Task Info": info}
    if end is None:
        return json.dumps({"Event": "SparkListenerTaskStart", **known})
    reason = {"Task End Reason": {"Reason": more.pop("reason", "Success")}}
    return json.dumps({"Event": "SparkListenerTaskEnd", **known, **reason, "Task Metrics": metrics(**more)})


def metrics(
    run: int = 0, cpu: int = 0, read: tuple[int, int] = (0, 0), written: int = 0, **more: int
) -> dict[str, Any]:
    """Return what a try used: milliseconds, nanoseconds, remote and local bytes, bytes."""
    return {
        "Executor Run Time": run,
        "Executor CPU Time": cpu,
        "Shuffle Read Metrics": {"Remote Bytes Read": read[0], "Local Bytes Read": read[1]},
        "Shuffle Write Metrics": {"Shuffle Bytes Written": written},
        **{name.replace("_", " "): value for name, value in more.items()},
    }


def simple() -> list[str]:
    """Return an application with one job of two stages: two tasks write what a third one reads."""
    return [
        *began(),
        job(0, 1100, 0, 1),
        stage(0, 1110),
        task(0, 0, 1120),
        task(1, 0, 1120),
        task(0, 0, 1120, 1220, run=80, cpu=70_000_000, written=300),
        task(1, 0, 1120, 1320, run=190, cpu=100_000_000, written=500, JVM_GC_Time=15),
        stage(0, 1110, end=1330),
        stage(1, 1340, 0),
        task(2, 1, 1345),
        task(2, 1, 1345, 1445, run=60, cpu=50_000_000, read=(500, 300)),
        stage(1, 1340, 0, end=1450),
        job_end(0, 1460),
        event("ApplicationEnd", Timestamp=1500),
    ]


def log(lines: list[str] | None = None) -> str:
    """Return a log of these lines."""
    return "".join(f"{line}\n" for line in (simple() if lines is None else lines))


def told(lines: list[str] | None = None) -> Told:
    """Return what a log of these lines tells."""
    return SPARK.read([given(log(lines), "app.log")], Wishes())
