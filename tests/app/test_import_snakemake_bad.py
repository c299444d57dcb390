"""``longpole import`` of directories of Snakemake with bad records and logs: a sentence, and no run left."""

from __future__ import annotations

import json
import random
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from longpole.app.main import cli

Output = pytest.CaptureFixture[str]
NOISE = random.Random(7).randbytes(5000)
LOG = b"[Sun Nov 15 19:15:46 2026]\nrule work:\n    output: mid.txt\n    jobid: 1\n"


@pytest.fixture
def flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    for name in ("metadata", "log"):
        (tmp_path / "flow" / ".snakemake" / name).mkdir(parents=True)
    return tmp_path / "flow"


def record(flow: Path, output: str, content: bytes | None = None, **facts: Any) -> None:
    """Write the record of an output, or what lies in its place."""
    name = urlsafe_b64encode(output.encode()).decode()
    known = {"rule": "work", "input": [], "shellcmd": f"make {output}", "starttime": 1e9, "endtime": 1e9 + 5}
    written = json.dumps({**known, **facts}).encode() if content is None else content
    (flow / ".snakemake" / "metadata" / name).write_bytes(written)


def refused(flow: Path, capsys: Output) -> str:
    """Return the one sentence with which a directory is refused."""
    assert cli(["import", str(flow)]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(".\n")
    assert "unforeseen" not in err
    assert str(flow) in err
    assert not (flow.parent / "runs").exists()
    return err


@pytest.mark.parametrize("content", [b"", b"{", NOISE, b"[]", b'{"rule": 7}', b"[" * 100_000])
def test_records_that_are_none_are_refused(flow: Path, capsys: Output, content: bytes) -> None:
    record(flow, "mid.txt", content)

    assert "1 record cannot be understood" in refused(flow, capsys)


@pytest.mark.parametrize("content", [b"", NOISE, b"hello\n", LOG[:30], b"\0" * 5000])
def test_logs_that_are_none_are_refused(flow: Path, capsys: Output, content: bytes) -> None:
    (flow / ".snakemake" / "log" / "2026-11-15T191544.9.snakemake.log").write_bytes(content)

    assert ".snakemake/log tells of a job" in refused(flow, capsys)


def test_jobs_that_need_each_others_outputs_are_refused(flow: Path, capsys: Output) -> None:
    for at in range(3):
        record(flow, f"{at}.txt", input=[f"{(at + 1) % 3}.txt"])

    assert "its tasks depend on each other in a circle: " in refused(flow, capsys)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"endtime": 1e9 - 100}, "The endtime of 1 of 2 jobs is before its starttime"),
        ({"starttime": -5, "endtime": -3}, "When 1 of 2 jobs began is not known"),
        ({"starttime": 10**30, "endtime": "x" * 100_000}, "When 1 of 2 jobs began is not known"),
        ({"rule": "x" * 100_000, "external_jobid": 10**30}, "no times of waiting"),
    ],
)
def test_a_record_that_is_bad_in_part_is_read_and_the_part_is_named(
    flow: Path, capsys: Output, facts: dict[str, Any], said: str
) -> None:
    record(flow, "good.txt")
    record(flow, "bad.txt", **facts)

    assert cli(["import", str(flow)]) == 0

    assert said in capsys.readouterr().err
    for look in ("show", "explain"):
        assert cli([look]) == 0, capsys.readouterr().err
