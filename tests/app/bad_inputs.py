"""Bad inputs of every form that can be imported: damaged, cut off, empty, with ids and times that cannot be.

Each is a whole file, made from one that is good. ``REFUSED`` says which words the one sentence must have
besides the name of the file; what can be read but for a part is in ``DOUBTED``, with words on that part.
"""

from __future__ import annotations

import gzip
import json
import random
from typing import Any, NamedTuple

from tests.exchange import sparklog, stampede
from tests.exchange.events import event, small, trace
from tests.exchange.wfformat_instances import document

HUGE = 10**30
LONG = "x" * 100_000
NOISE = random.Random(7).randbytes(5000)
CHAIN = {"a": [], "b": ["a"], "c": ["b"]}
NEXTFLOW = "task_id\tname\tstatus\texit\tsubmit\tstart\tcomplete\n"
SACCT = "JobID|JobName|State|Submit|Start|End|SubmitLine\n"


class Bad(NamedTuple):
    """A bad file: of which form and kind, what it is called and holds, and a part of what must be said."""

    form: str
    kind: str
    name: str
    content: bytes
    said: str


def wfformat(task: dict[str, Any] | None = None, ran: dict[str, Any] | None = None) -> bytes:
    """Return an instance of three tasks in which the first, or what it took, is another."""
    made = document(CHAIN)
    made["workflow"]["specification"]["tasks"][0].update(task or {})
    made["workflow"]["execution"]["tasks"][0].update(ran or {})
    return json.dumps(made).encode()


def nextflow(*lines: str) -> bytes:
    """Return a trace of these lines."""
    return (NEXTFLOW + "".join(f"{line}\n" for line in lines)).encode()


def sacct(*lines: str) -> bytes:
    """Return what sacct printed."""
    return (SACCT + "".join(f"{line}\n" for line in lines)).encode()


def pegasus(**rows: list[dict[str, Any]]) -> bytes:
    """Return a database in which some tables hold other rows."""
    return stampede.database({**stampede.simple(), **rows})


def kineto(**more: Any) -> bytes:
    """Return a trace of one event with other fields."""
    return trace({**event("cpu_op", "aten::mm", "1000", "5"), **more}).content


def chrome(*events: dict[str, Any]) -> bytes:
    """Return a trace of these events."""
    return json.dumps(
        [{"tid": 1, **one, "pid": one.get("pid", 1), "name": one.get("name", "load")} for one in events]
    ).encode()


def spark(old: str, new: str) -> bytes:
    """Return an event log in which something is told otherwise."""
    return sparklog.log([line.replace(old, new) for line in sparklog.simple()]).encode()


GOOD = {
    "wfformat": ("wf.json", wfformat()),
    "nextflow": ("trace.txt", nextflow("1\talign (a)\tCOMPLETED\t0\t1000000\t1001000\t1002000")),
    "pegasus": ("wf.stampede.db", stampede.database()),
    "kineto": ("rank0.json", trace(*small()).content),
    "chrome": ("chrome.json", chrome({"ph": "X", "ts": 1, "dur": 5})),
    "spark": ("local-17", sparklog.log().encode()),
    "sacct": ("jobs.txt", sacct("7|train|COMPLETED|1000|1003|1008|sbatch x")),
}


def edges(*pairs: tuple[str, str]) -> bytes:
    """Return a database of Pegasus with these edges between its jobs."""
    named = ("parent_exec_job_id", "child_exec_job_id")
    return pegasus(job_edge=[{"wf_id": 1, **dict(zip(named, pair, strict=True))} for pair in pairs])


def depending(*pairs: tuple[int, int]) -> bytes:
    """Return what sacct printed of jobs that were submitted to wait for others."""
    line = "{0}|job{0}|COMPLETED|1000|1003|1008|sbatch --dependency=afterok:{1} x"
    return sacct(*(line.format(*pair) for pair in pairs))


def stages(**parents: tuple[int, ...]) -> bytes:
    """Return an event log of stages with these parents."""
    every = [sparklog.stage(int(name[1:]), 1100, *before, end=1200) for name, before in parents.items()]
    return sparklog.log([*sparklog.began(), *every]).encode()


_STATES = stampede.states(11, SUBMIT=1010, EXECUTE=1005, JOB_TERMINATED=1000) + stampede.states(
    12, SUBMIT=1010, EXECUTE=1005, JOB_TERMINATED=1000
)
_JOB = {"wf_id": 1, "exec_job_id": "fit", "type_desc": "compute"}
_LOOKED_FOR = "What was looked for: a WfFormat instance, "

_OF_EVERY_FORM = [
    bad
    for form, (name, content) in GOOD.items()
    for bad in (
        Bad(form, "truncated", f"{name}.gz", gzip.compress(content)[:-9], "damaged or cut off"),
        Bad(form, "damaged", f"{name}.gz", gzip.compress(content)[:25] + NOISE, "damaged or cut off"),
        Bad(form, "damaged", name, NOISE, _LOOKED_FOR),
        Bad(form, "damaged", name, b"\0" * 5000, _LOOKED_FOR),
        Bad(form, "empty", name, b"", "is empty"),
        Bad(form, "empty", name, b" \n\n", "is empty"),
        Bad(form, "empty", f"{name}.gz", gzip.compress(b""), "is empty"),
        Bad(form, "mislabelled", name, b"a,b\n1,2\n", _LOOKED_FOR),
        Bad(form, "mislabelled", name, b"[]", _LOOKED_FOR),
    )
]
_OF_JSON = [
    bad
    for form in ("wfformat", "kineto", "chrome")
    for name, content in [GOOD[form]]
    for bad in (
        Bad(form, "truncated", name, content[:-3], "truncated" if form == "wfformat" else "cut off"),
        Bad(form, "damaged", name, content[: len(content) // 2] + NOISE, "malformed"),
    )
]
REFUSED = [
    *_OF_EVERY_FORM,
    *_OF_JSON,
    Bad("wfformat", "cyclic", "wf.json", wfformat({"parents": ["a"]}), "task 'a' depends on itself"),
    Bad("wfformat", "cyclic", "wf.json", wfformat({"parents": ["c"]}), "in a circle: 'b', 'c', 'a'"),
    Bad("wfformat", "huge id", "wf.json", wfformat({"id": HUGE}), "specification.tasks[0].id"),
    Bad("wfformat", "huge id", "wf.json", wfformat({"id": LONG}), "the id of a task has 100,000 letters"),
    Bad("wfformat", "negative", "wf.json", wfformat(ran={"runtimeInSeconds": -5}), "runtime of -5 s"),
    Bad("wfformat", "empty", "wf.json", json.dumps(document({})).encode(), "its list of tasks is empty"),
    Bad("nextflow", "mislabelled", "trace.txt", b"sample\tcount\na\t1\n", _LOOKED_FOR),
    Bad("nextflow", "mislabelled", "trace.csv", GOOD["nextflow"][1].replace(b"\t", b","), _LOOKED_FOR),
    Bad("nextflow", "truncated", "trace.txt", GOOD["nextflow"][1][:-20], "line 2 has 5 cells and not 7"),
    Bad("nextflow", "damaged", "trace.txt", nextflow("1\t2"), "line 2 has 2 cells and not 7"),
    Bad("nextflow", "empty", "trace.txt", nextflow(), "no line below its first"),
    Bad("nextflow", "huge id", "t.txt", nextflow(f"1\ta\tCOMPLETED\t{HUGE}\t1\t2\t3"), "column 'exit'"),
    Bad(
        "nextflow",
        "negative",
        "t.txt",
        nextflow("1\ta\tCOMPLETED\t0\t9000\t8000\t7000"),
        "'complete' is before",
    ),
    Bad("nextflow", "negative", "t.txt", nextflow("1\ta\tCOMPLETED\t0\t-5\t-4\t-3"), "column 'submit'"),
    Bad("pegasus", "truncated", "wf.stampede.db", GOOD["pegasus"][1][:9000], "malformed"),
    Bad("pegasus", "damaged", "wf.stampede.db", GOOD["pegasus"][1][:100] + NOISE, "SQLite"),
    Bad(
        "pegasus", "damaged", "wf.stampede.db", pegasus()[:4096] + bytes(NOISE[:4096]) + pegasus()[8192:], ""
    ),
    Bad("pegasus", "cyclic", "wf.stampede.db", edges(("fit_ID1", "fit_ID1")), "'fit_ID1' depends on itself"),
    Bad(
        "pegasus",
        "cyclic",
        "wf.stampede.db",
        edges(("fit_ID1", "stage_in_0"), ("stage_in_0", "fit_ID1")),
        "in a circle: ",
    ),
    Bad(
        "pegasus",
        "huge id",
        "wf.stampede.db",
        pegasus(job=[{**_JOB, "job_id": 1e30}]),
        "'job_id' of its table",
    ),
    Bad(
        "pegasus",
        "huge id",
        "wf.stampede.db",
        pegasus(job=[{**_JOB, "job_id": LONG}]),
        "'job_id' of its table",
    ),
    Bad("pegasus", "empty", "wf.stampede.db", pegasus(job=[]), "without any job"),
    Bad(
        "pegasus",
        "negative",
        "wf.stampede.db",
        pegasus(jobstate=_STATES),
        "'timestamp' of the table 'jobstate'",
    ),
    Bad(
        "pegasus", "mislabelled", "wf.stampede.db", stampede.database({}, "DROP TABLE job"), "no table 'job'"
    ),
    Bad(
        "kineto",
        "mislabelled",
        "rank0.json",
        trace(deviceProperties=[]).content,
        "no event is of a category cpu_op",
    ),
    Bad(
        "kineto", "mislabelled", "rank0.json", b'{"deviceProperties": [], "traceEvents": 7}', "$.traceEvents"
    ),
    Bad("kineto", "huge id", "rank0.json", kineto(ts=HUGE), "'aten::mm' has the ts 1000000"),
    Bad("kineto", "negative", "rank0.json", kineto(ts=-5), "'aten::mm' has the ts -5"),
    Bad("kineto", "negative", "rank0.json", kineto(dur=-5), "'aten::mm' has the dur -5"),
    Bad("kineto", "damaged", "rank0.json", kineto(ts="soon"), "'aten::mm' has the ts"),
    Bad("chrome", "mislabelled", "chrome.json", chrome({"ph": "Q", "ts": 1}), "none is of ph X, B or b"),
    Bad("chrome", "empty", "chrome.json", b'{"traceEvents": []}', "none is of ph X, B or b"),
    Bad("chrome", "huge id", "chrome.json", chrome({"ph": "X", "ts": HUGE}), "'load' has the ts 1000000"),
    Bad(
        "chrome", "negative", "chrome.json", chrome({"ph": "X", "ts": 1, "dur": -5}), "'load' has the dur -5"
    ),
    Bad(
        "chrome",
        "negative",
        "chrome.json",
        chrome({"ph": "B", "ts": 9}, {"ph": "E", "ts": 5}),
        "no end has a ts after",
    ),
    Bad(
        "spark",
        "mislabelled",
        "local-17",
        b'{"Event": "SparkListenerOther"}\n',
        "no event is an ApplicationStart",
    ),
    Bad(
        "spark",
        "empty",
        "local-17",
        sparklog.log(sparklog.began()[:1]).encode(),
        "no event is an ApplicationStart",
    ),
    Bad("spark", "cyclic", "local-17", stages(s1=(1,)), "'Parent IDs': stage 'stage 1' depends on itself"),
    Bad("spark", "cyclic", "local-17", stages(s1=(3,), s2=(1,), s3=(2,)), "in a circle: "),
    Bad(
        "spark",
        "negative",
        "local-17",
        spark('"Launch Time": 1', '"Launch Time": 2'),
        "'Finish Time' of all tasks",
    ),
    Bad(
        "spark",
        "huge id",
        "local-17",
        sparklog.log([sparklog.job(HUGE, 1000)]).encode(),
        "line 1 (Expected `int` <= 2147483648 - at `$.Job ID`)",
    ),
    Bad("spark", "truncated", "local-17", GOOD["spark"][1][:40], "ends in the middle of a line"),
    Bad(
        "spark",
        "mislabelled",
        "local-17.zstd",
        b"\x28\xb5\x2f\xfd" + NOISE,
        "'zstd -dc FILE | longpole import -'",
    ),
    Bad("spark", "mislabelled", "local-17.lz4", b"LZ4Block" + NOISE, "spark.eventLog.compress=false"),
    Bad(
        "spark", "mislabelled", "local-17.snappy", b"\x82SNAPPY\x00" + NOISE, "spark.eventLog.compress=false"
    ),
    Bad("sacct", "empty", "jobs.txt", sacct(), "no job in what sacct printed"),
    Bad("sacct", "damaged", "jobs.txt", sacct("7|train"), "line 2 has 2 cells and the JobID '7'"),
    Bad("sacct", "cyclic", "jobs.txt", depending((7, 7)), "'job7' depends on itself"),
    Bad("sacct", "cyclic", "jobs.txt", depending((7, 9), (8, 7), (9, 8)), "in a circle: "),
    Bad(
        "sacct",
        "negative",
        "jobs.txt",
        sacct("7|train|COMPLETED|1000|1008|1003|"),
        "End of all jobs is before",
    ),
    Bad(
        "sacct",
        "truncated",
        "jobs.json",
        b'{"jobs": [{"job_id": 7',
        "cut off: Expecting ',' delimiter: line 1",
    ),
    Bad("sacct", "huge id", "jobs.json", b'{"jobs": [{"job_id": %d}]}' % HUGE, "has a job_id"),
    Bad("sacct", "mislabelled", "jobs.json", b'{"jobs": 7}', "its jobs are no list"),
]

_SECOND = "\n7|train|COMPLETED|1000|1008|1003|"
DOUBTED = [
    Bad("wfformat", "mislabelled", "wf.csv", wfformat(), "No task start times"),
    Bad("kineto", "mislabelled", "trace.csv", GOOD["kineto"][1], "no times of day"),
    Bad("kineto", "huge id", "rank0.json", kineto(pid=HUGE, tid=LONG, name=LONG), "no ProfilerStep"),
    Bad(
        "chrome",
        "huge id",
        "c.json",
        chrome({"ph": "X", "ts": 1, "dur": 1, "pid": HUGE, "name": LONG}),
        "no times",
    ),
    Bad("nextflow", "truncated", "trace.txt", GOOD["nextflow"][1][:-1], "trace.txt does not end"),
    Bad(
        "nextflow",
        "huge id",
        "trace.txt",
        nextflow(f"{HUGE}\t{LONG}\tCOMPLETED\t0\t1\t2\t3"),
        "no dependencies",
    ),
    Bad(
        "nextflow",
        "negative",
        "t.txt",
        nextflow("1\ta\tCOMPLETED\t0\t7000\t8000\t9000", "2\tb\tCOMPLETED\t0\t9000\t8000\t7000"),
        "Of 1 task of t.txt 'complete' is before",
    ),
    Bad(
        "pegasus",
        "negative",
        "wf.stampede.db",
        pegasus(jobstate=_STATES[3:]),
        "wf.stampede.db an end is before its begin",
    ),
    Bad("spark", "truncated", "local-17", GOOD["spark"][1][:-20], "local-17 ends in the middle of a line"),
    Bad(
        "spark",
        "damaged",
        "local-17",
        GOOD["spark"][1] + NOISE,
        "of local-17 could not be understood, the first is",
    ),
    Bad("spark", "negative", "local-17", spark('Time": 1220', 'Time": -5'), "line 8 (Expected `int` >= 0"),
    Bad(
        "spark",
        "negative",
        "local-17",
        spark('Time": 1220', 'Time": 120'),
        "'Finish Time') is before the launch",
    ),
    Bad(
        "spark",
        "negative",
        "local-17",
        spark('ion Time": 1330', 'ion Time": 13'),
        "'Completion Time') is before",
    ),
    Bad("spark", "huge id", "local-17", spark('"Task ID": 0', f'"Task ID": {HUGE}'), "`$.Task Info.Task ID`"),
    Bad("sacct", "truncated", "jobs.txt", GOOD["sacct"][1][:-1], "last line does not end"),
    Bad("sacct", "huge id", "jobs.txt", sacct(f"{HUGE}|{LONG}|COMPLETED|1000|1003|1008|"), "when jobs could"),
    Bad(
        "sacct",
        "negative",
        "jobs.txt",
        sacct(f"6|a|COMPLETED|1000|1003|1008|{_SECOND}"),
        "The End of 1 of 2 jobs",
    ),
    Bad(
        "sacct",
        "negative",
        "jobs.txt",
        sacct("6|a|COMPLETED|1000|1003|-8|"),
        "The End of 1 of 1 jobs that have",
    ),
]
