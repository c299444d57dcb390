"""The bound on disk use."""

from __future__ import annotations

from pathlib import Path

from longpole.log.files import LogWriter
from longpole.record.journal import Journal
from tests.recording import Someone


def journal(tmp_path: Path, limit: int) -> Journal:
    (tmp_path / "log").mkdir()
    return Journal(LogWriter(str(tmp_path), 0), limit)


def test_intervals_stretch_as_the_bound_comes_near(tmp_path: Path) -> None:
    book = journal(tmp_path, 64_000)
    stretches = []
    for _ in range(990):
        book.slot(bytes(64))
        stretches.append(book.stretch)

    assert stretches[0] == 1
    assert stretches == sorted(stretches)
    assert stretches[550] == 2
    assert stretches[-1] >= 64


def test_sums_have_a_share_of_their_own(tmp_path: Path) -> None:
    book = journal(tmp_path, 2900)
    stretches = []
    for number in range(100):
        book.note("sum", name=number)
        stretches.append(book.sums_stretch)

    assert stretches[0] == 1
    assert stretches == sorted(stretches)
    assert stretches[-1] > 2
    assert book.stretch == 1


def test_process_notes_beyond_the_bound_are_counted(tmp_path: Path) -> None:
    book = journal(tmp_path, 1000)
    for number in range(100):
        book.note("process", number=number)

    assert 0 < book.notes_left_out < 100


def test_phases_beyond_the_bound_become_sums_with_exact_counts(user: Someone) -> None:
    script = (
        "import longpole, time\n"
        "for n in range(30000):\n"
        "    with longpole.phase('even' if n % 2 == 0 else 'odd'): pass\n"
        "    if n % 500 == 0: time.sleep(0.02)\n"
    )
    user.record(user.python, "-c", script, options=["--disk", "1MB"])

    run = user.latest()
    rows = list(
        run.query(
            "SELECT name, sum(count) AS n FROM phases WHERE kind = 'phase' GROUP BY name ORDER BY name"
        ).records()
    )
    assert rows == [{"name": "even", "n": 15000}, {"name": "odd", "n": 15000}]
    size = sum(path.stat().st_size for path in (run.path / "log").iterdir())
    assert size < 3_000_000
