"""Runs made by hand: a few lines put a run directory together, with the real codec, as a recorder would."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

import msgspec

from longpole.log import slots
from longpole.log.files import LogWriter
from longpole.store.derive.note import Note
from longpole.store.derive.notes import Ended
from longpole.store.derive.workflow_notes import Driver, End, Files, Part, Planned, Start
from longpole.store.run import StoredRun, open_run

OFFSET = 1_790_000_000_000_000_000
AGENT = 0
# What makes a run count as still going while its log is young.
RUNNING: dict[str, Any] = {
    "state": "running",
    "launcher": {"host": "elsewhere", "boot": "b", "pid": 1, "start_ticks": 1},
}
LAUNCHER = 1


def ms(moment: float) -> int:
    """Return a moment, in milliseconds after a host's boot, as the monotonic clock has it."""
    return round(moment * 1_000_000)


def utc(moment: float) -> int:
    """Return the same moment as tables have it."""
    return OFFSET + ms(moment)


class HandmadeRun:
    """A run directory; its log files are made by ``log``."""

    def __init__(self, runs: Path, identity: str = "0badcafe", name: str = "made", **facts: Any) -> None:
        stamp = str(facts.pop("stamp", "20260924T000000Z"))
        self.path = runs / f"{stamp}-{name}-{identity}"
        self.path.mkdir(mode=0o700, parents=True)
        (self.path / "log").mkdir()
        self.manifest: dict[str, Any] = {
            "schema_version": 1,
            "id": identity,
            "name": name,
            "state": "finished",
            "started": f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:11]}:{stamp[11:13]}:{stamp[13:15]}.000Z",
            "command": ["made", "by", "hand"],
            "user": os.getuid(),
            "exit_code": 0,
            "makespan_s": 1.0,
            **facts,
        }
        self.save()

    def save(self, **changes: Any) -> None:
        """Write the manifest."""
        self.manifest.update(changes)
        (self.path / "run.json").write_text(json.dumps(self.manifest))

    def log(self, *, bare: bool = False) -> HandmadeLog:
        """Begin a log file, unless it is bare with the notes every agent begins with."""
        log = HandmadeLog(self.path)
        if not bare:
            log.note(
                "host", name="node", kernel="6.1", machine="x86_64", boot="b", cores=4, memory_bytes=1 << 33
            )
            log.note("clock", at=0, offset=OFFSET, error=100)
            log.note("began", at=ms(0), launcher=10, exit_records=True, opens=False)
        return log

    def driver(self, at: float = 0, pid: int = 101, **facts: Any) -> HandmadeDriver:
        """Begin the log of a driver; with ``boot`` on another host than agents are."""
        log = HandmadeDriver(self.path)
        log.note("host", name="node", boot=facts.pop("boot", "b"), cores=4, memory_bytes=1 << 33)
        log.note("clock", at=ms(at), offset=OFFSET, error=100)
        log.tell(Driver(**{"at": ms(at), "pid": pid, "workflow": "tiles", "placement": "baseline", **facts}))
        return log

    def logs(self) -> list[Path]:
        """Return the log files."""
        return sorted((self.path / "log").iterdir())

    def open(self) -> StoredRun:
        """Open the run as any command does."""
        return open_run(self.path)


class HandmadeLog:
    """One log file, written note by note and slot by slot."""

    def __init__(self, run: Path, place: str = "") -> None:
        self._writer = LogWriter(str(run), OFFSET, place)
        self._texts: dict[int, dict[str, int]] = {}
        self._remarks = 0
        self.launcher_slots = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def note(self, about: str, **facts: Any) -> None:
        """Write a note."""
        self.line(json.dumps({"about": about, **facts}).encode())

    def line(self, line: bytes) -> None:
        """Write a note as it is."""
        self._writer.notes([line])

    def slot(self, source: int, data: bytes) -> None:
        """Write a slot as it is, but for its number if it is the launcher's: those count up."""
        if source == LAUNCHER:
            self.launcher_slots += 1
            data = data[:-8] + self.launcher_slots.to_bytes(8, "little")
        self._writer.slots(source, data)

    def flush(self) -> None:
        """Let readers see what was written."""
        self._writer.flush()

    def process(self, number: int, pid: int = 0, start: float = 0, **facts: Any) -> None:
        """Note a process."""
        known = {"parent": 0, "comm": f"p{number}", "command": f"p{number} --run"}
        self.note("process", number=number, pid=pid or 100 + number, start=ms(start), **{**known, **facts})

    def exit(self, number: int, start: float, end: float, **facts: Any) -> None:
        """Note the exit record of a process."""
        known = {"pid": 100 + number, "parent": 0, "comm": f"p{number}", "status": 0, "peak_kib": 100}
        self.note(
            "exit",
            number=number,
            start=ms(start),
            end=ms(end),
            **{**known, "used": [0, 0, 0, 0, 0, 0], **facts},
        )

    def ring(
        self, source: int, number: int, tag: str = "", hello: dict[str, Any] | None = None, **facts: Any
    ) -> None:
        """Note the ring of a process, and what it says of itself."""
        known = {"pid": 100 + number, "parent_tag": "0", "parent_phase": 0}
        self.note("ring", source=source, number=number, tag=tag or f"a{source}", **{**known, **facts})
        self.text(source, json.dumps(hello or {"python": "3.11"}))

    def launcher(self) -> None:
        """Note the launcher's ring."""
        self.ring(LAUNCHER, 0, tag="ff", hello={"role": "launcher"})

    def text(self, source: int, text: str, number: int = 0) -> int:
        """Write a text of a ring, once; return its number."""
        known = self._texts.setdefault(source, {})
        if text not in known:
            known[text] = number or len(known) + 1
            parts = slots.text_parts(text.encode())
            for at, part in enumerate(parts):
                fields = (at == len(parts) - 1, at, known[text], len(part), part, 0)
                self.slot(source, slots.TEXT_LAYOUT.pack(slots.TEXT, *fields))
        return known[text]

    def phase(self, source: int, identity: int, name: str, times: tuple[float, float], **facts: Any) -> None:
        """Write a phase of a ring."""
        given = {
            "status": slots.OK,
            "parent": 0,
            "kind": "phase",
            "attributes": "",
            "lane": 0,
            "device": 0,
            **facts,
        }
        names = (self.text(source, name), self.text(source, given["kind"]))
        attributes = self.text(source, given["attributes"]) if given["attributes"] else 0
        fields = (given["status"], given["lane"], identity, given["parent"], *names, attributes)
        self.slot(
            source,
            slots.PHASE_LAYOUT.pack(
                slots.PHASE, *fields, ms(times[0]), ms(times[1]), given["device"], 0, 0, 1
            ),
        )

    def step(
        self,
        source: int,
        identity: int,
        times: tuple[float, float],
        parts: dict[str, tuple[float, float]] | None = None,
        **facts: Any,
    ) -> None:
        """Write a step of a ring with the parts it had; all times in milliseconds, as for phases."""
        given = {"status": slots.OK, "parent": 0, "kind": "step", "name": "step", "lane": 0, **facts}
        label = self.text(source, given["name"]) << 8 | slots.STEP_KINDS.index(given["kind"])
        fields = [ms(times[1]) - ms(times[0])]
        for name in slots.STEP_PARTS:
            start, end = (parts or {}).get(name, (times[0], None))
            after = () if name == slots.STEP_PARTS[0] else (ms(start) - ms(times[0]),)
            fields += [*after, slots.STEP_NONE if end is None else ms(end) - ms(start)]
        head = (given["status"], given["lane"], given["parent"], identity, label, ms(times[0]))
        self.slot(source, slots.STEP_LAYOUT.pack(slots.STEP, *head, *fields, identity))

    def remark(self, source: int, at: float = 0, **facts: Any) -> None:
        """Write what a process says about its own recording."""
        self._remarks += 1
        text = self.text(source, json.dumps(facts))
        self.slot(
            source, slots.REMARK_LAYOUT.pack(slots.REMARK, 0, 0, text, ms(at), b"", 1000 + self._remarks)
        )

    def sum(self, source: int, name: str, count: int, times: tuple[float, float], **facts: Any) -> None:
        """Note so many phases of one name as their sum; ``total`` is in milliseconds."""
        texts = {"name": self.text(source, name), "kind": self.text(source, facts.pop("kind", "phase"))}
        total_ns = ms(facts.pop("total", times[1] - times[0]))
        known = {"count": count, "total_ns": total_ns, "start": ms(times[0]), "end": ms(times[1])}
        self.note("sum", source=source, **texts, **known, **facts)

    def sample(self, number: int, start: float, end: float, **facts: int) -> None:
        """Write a reading of a process."""
        names = (
            "user",
            "system",
            "resident",
            "proportional",
            "read",
            "written",
            "storage_read",
            "storage_written",
        )
        values = [facts.get(name, 0) for name in names]
        head = (slots.PROCESS_SAMPLE, 0, 1, number, ms(start), ms(end))
        self.slot(AGENT, slots.PROCESS_SAMPLE_LAYOUT.pack(*head, *values, 0))

    def gauge(self, number: int, start: float, end: float, *values: float) -> None:
        """Write a reading of a gauge."""
        self.slot(AGENT, slots.GAUGE_LAYOUT.pack(slots.GAUGE, 0, 0, number, ms(start), ms(end), *values, 0))

    def end(self, pid: int, start: float, end: float, **facts: int) -> None:
        """Write an end that the launcher saw: CPU in microseconds and bytes of it and all it had reaped."""
        head = (pid, ms(start), ms(end))
        times = (
            facts.get("user", 0),
            facts.get("system", 0),
            facts.get("status", 0),
            facts.get("name", 0),
            0,
            1,
        )
        moved = [facts.get(name, 0) for name in ("read", "written", "storage_read", "storage_written")]
        readable = facts.get("readable", 1)
        self.slot(LAUNCHER, slots.EXIT_TIMES_LAYOUT.pack(slots.EXIT_TIMES, readable, 0, *head, *times))
        if readable:
            self.slot(LAUNCHER, slots.EXIT_BYTES_LAYOUT.pack(slots.EXIT_BYTES, 0, 0, *head, *moved, 1))

    def finish(self, pid: int, start: float, end: float, status: int = 0) -> None:
        """Write the end of the command."""
        self.slot(
            LAUNCHER, slots.FINISH_LAYOUT.pack(slots.FINISH, 0, 0, pid, ms(start), ms(end), status, b"", 1)
        )

    def cost(self, source: int, joined: int, *used: int) -> None:
        """Write what a part of the recorder used: user and system microseconds, bytes read and written."""
        fields = (*used, 0, 0, 0, 0)[:4]
        self.slot(source, slots.COST_LAYOUT.pack(slots.COST, joined, 0, 1, ms(0), ms(1), *fields, 1))


class HandmadeDriver(HandmadeLog):
    """The log of a driver of a workflow; all times in milliseconds."""

    def __init__(self, run: Path) -> None:
        super().__init__(run, "driver-0000")

    def tell(self, *notes: Note) -> None:
        """Write notes as a driver does."""
        for note in notes:
            self.line(msgspec.json.encode(note))

    def files(self, first: int, *names: str, sizes: tuple[int, ...] = ()) -> None:
        """Tell names of files."""
        self.tell(Files(first, names, sizes))

    def task(self, number: int, kind: str, **facts: Any) -> None:
        """Tell a task, called by its type and number."""
        self.tell(Planned(**{"id": number, "name": f"{kind} {number}", "type": kind, **facts}))

    def start(self, job: int, at: float, attempt: int = 1, ready: float = 0) -> None:
        """Tell that an attempt begins."""
        self.tell(Start(job, attempt, ms(at), ms(ready)))

    def finish_job(self, job: int, at: float, *parts: Part, attempt: int = 1, **facts: Any) -> None:
        """Tell that an attempt has ended; its parts come from ``part``."""
        self.tell(End(**{"job": job, "attempt": attempt, "at": ms(at), "parts": parts, **facts}))

    def end_well(self, at: float) -> None:
        """Tell that the driver has come to an end."""
        self.tell(Ended(at=ms(at)))


def part(kind: str, start: float, end: float, **facts: Any) -> Part:
    """Return a phase of an attempt."""
    return Part(**{"kind": kind, "start": ms(start), "end": ms(end), **facts})


def small_run(runs: Path, **facts: Any) -> HandmadeRun:
    """Return a finished run of two processes, three phases and a few samples."""
    run = HandmadeRun(runs, **facts)
    with run.log() as log:
        log.launcher()
        log.process(1, start=0)
        log.process(2, start=100, parent=1)
        log.ring(2, 2, hello={"rank": 3, "world": 4})
        log.phase(2, 2, "inner", (200, 300), parent=1)
        log.phase(2, 1, "outer", (150, 400), attributes='{"rows": 3}')
        log.phase(2, 3, "bad", (410, 420), status=slots.FAILED)
        log.sample(1, 0, 100, user=50_000, resident=1000)
        log.sample(2, 100, 200, user=100_000, resident=2000, proportional=1500, read=1_000_000)
        log.exit(2, 100, 500, parent=1, used=[300_000, 20_000, 4096, 1024, 512, 256], peak_kib=3000)
        log.exit(1, 0, 1000, used=[50_000, 10_000, 2048, 0, 0, 0], peak_kib=1500)
        log.end(
            101,
            0,
            1000,
            user=350_000,
            system=30_000,
            read=6500,
            written=1100,
            storage_read=512,
            storage_written=256,
        )
        log.finish(101, 0, 1000)
        log.note("ended", at=ms(1001))
    return run


def workflow_run(runs: Path, **facts: Any) -> HandmadeRun:
    """Return a finished run of a workflow: cut, two scores, of which one is tried twice, and total."""
    run = HandmadeRun(runs, **{"joint": True, "state": "finished", "name": "tiles", **facts})
    with run.log() as log:
        log.ring(1, 0, tag="ff", hello={"role": "member", "pid": 10, "began": 0, "task": "Longpole:driver:1"})
        log.process(1, start=0, launcher=10, comm="python3", command="python3 -m longpole.run.driver")
        for number, start, end in ((2, 110, 290), (4, 320, 480), (5, 330, 700), (6, 510, 800), (7, 820, 980)):
            log.process(number, start=start, parent=1, comm="sh", launcher=10)
            log.exit(number, start, end, parent=1, used=[(end - start) * 500, 0, 4096, 0, 0, 0])
        log.process(3, start=120, parent=2, launcher=10)
        log.exit(3, 120, 280, parent=2)
        log.exit(1, 0, 1000, used=[100_000, 10_000, 2048, 0, 0, 0])
        log.end(101, 0, 1000, user=700_000, system=10_000, read=30_000, written=1000)
        log.finish(101, 0, 1000)
        log.note("ended", at=ms(1001))
    with run.driver(at=5) as driver:
        driver.files(1, "data/raw.png", "tiles/1.png", "tiles/2.png", sizes=(5000, -1, -1))
        driver.files(4, "scores/1.txt", "scores/2.txt", "total.txt")
        driver.task(1, "cut", inputs=(1,))
        driver.task(2, "score", inputs=(2,), outputs=(4,))
        driver.task(3, "score", inputs=(3,), outputs=(5,))
        driver.task(4, "total", inputs=(4, 5), outputs=(6,), resources=(2, 200_000_000, 0, 1, 1))
        _tell_attempts(driver)
        driver.end_well(995)
    return run


def _tell_attempts(driver: HandmadeDriver) -> None:
    driver.start(1, 60, ready=50)
    fetched = part("transfer", 65, 95, bytes=5000, count=1, name="http", within=0)
    ran = part("exec", 110, 290, pid=102, own=1, used=(90_000, 5_000, 4096, 100, 0, 0, 2048))
    made = ((2, 100, "aa"), (3, 200, "bb"))
    driver.finish_job(1, 300, part("stage_in", 60, 100, bytes=5000, count=1), fetched, ran, outputs=made)
    driver.start(2, 310, ready=300)
    driver.start(3, 315, ready=300)
    failed = part("exec", 320, 480, pid=104, own=1, status=1)
    driver.finish_job(2, 490, failed, status=1, cause="It ended with exit code 3.")
    driver.start(2, 500, attempt=2, ready=490)
    driver.finish_job(3, 710, part("exec", 330, 700, pid=105, own=1), outputs=((5, 7, "cc"),))
    driver.finish_job(2, 810, part("exec", 510, 800, pid=106, own=1), attempt=2, outputs=((4, 8, "dd"),))
    driver.start(4, 815, ready=810)
    driver.finish_job(4, 990, part("exec", 820, 980, pid=107, own=1), outputs=((6, 15, "ee"),))
