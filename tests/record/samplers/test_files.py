"""``--files``: which files each process opened."""

from __future__ import annotations

from tests.parts import need
from tests.recording import Someone

SQL = """
SELECT p.name AS process, f.name AS file, o.times, o.written
FROM opens o JOIN files f ON o.file = f.id JOIN processes p ON o.process = p.id
WHERE f.name LIKE '%/mine-%' ORDER BY f.name, p.name
"""


def test_every_open_is_known_with_its_process(user: Someone) -> None:
    need("fanotify", "taskstats")
    folder = user.runs.parent
    (folder / "mine-input").write_text("data")

    user.record(
        "sh", "-c", f"cat {folder}/mine-input {folder}/mine-input > {folder}/mine-output", options=["--files"]
    )

    rows = list(user.latest().query(SQL).records())
    assert [(row["process"], row["file"], row["written"]) for row in rows] == [
        ("cat", f"{folder}/mine-input", 0),
        ("sh", f"{folder}/mine-output", 1),
    ]
    assert all(row["times"] >= 1 for row in rows)  # type: ignore[operator]


def test_without_permission_it_says_so_and_records_the_rest(nobody: Someone) -> None:
    done = nobody.record("true", options=["--files"])

    assert done.returncode == 0
    assert "--files was left out: fanotify is not permitted" in done.stderr
    assert nobody.latest().manifest.exit_code == 0
