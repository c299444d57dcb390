"""``longpole run`` as its user meets it: under all placements, in all forms of a workflow, and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.running import CUT, PLACEMENTS, Bench, bench_of

TILES = Path(__file__).parent / "programs" / "tiles.yaml"
ODD_NAMES = (
    *("plain", "two words", "  blanks  ", "it's", 'a "quote"', "-n", "--help", "{tile}", "{}", "}{", "$HOME"),
    *(
        "`id`",
        "a;b",
        "a&b|c",
        "back\\slash",
        "*",
        "?[a]",
        "~",
        "#hash",
        "ünïcödé",
        "日本語",
        "🙂",
        "%s",
        "a=b",
        "tab\there",
    ),
)
STATIC = """
longpole: 1
name: static
parameters: {parts: [aa, ab, ac]}
sets:
  part: {values: "{parts}"}
tasks:
  first:
    for_each: [part]
    inputs: {src: "raw/{part}.txt", all: raw/all.txt}
    run: "cat {src} {all} > {out}"
    outputs: {out: "first/{part}.txt"}
  second:
    for_each: [part]
    inputs: {one: "first/{part}.txt"}
    code: [twice.sh]
    run: "sh twice.sh {one} > {out}"
    outputs: {out: "second/{part}.txt"}
  last:
    inputs: {some: "second/{part}.txt"}
    run: "cat {some} > {out}"
    outputs: {out: last.txt}
results: [last.txt]
"""
PYTHON = """
from longpole import Workflow


def workflow(parts=("aa", "ab")):
    made = Workflow("parts")
    made.set("part", values=parts)
    made.task("write", run="echo {part} > {out}", for_each="part", outputs={"out": "some/{part}.txt"})
    some = {"some": "some/{part}.txt"}
    made.task("join", run="cat {some} > {all}", inputs=some, outputs={"all": "all.txt"})
    return made
"""
# Movements of jobs themselves: what lies within an auxiliary job brings results to their place.
MOVED = """
    SELECT coalesce(sum((t.attributes->>'files')::BIGINT), 0)::BIGINT AS files,
           coalesce(sum((t.attributes->>'bytes')::BIGINT), 0)::BIGINT AS bytes
    FROM phases t JOIN phases s ON s.id = t.parent JOIN phases j ON j.id = s.parent
    WHERE t.kind = 'transfer' AND s.kind = '{kind}'
      AND j.name NOT IN ('create_dir', 'stage_out', 'register', 'cleanup')
"""
AUXILIARY = "name IN ('create_dir', 'stage_out', 'register', 'cleanup')"


@pytest.fixture
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


@pytest.fixture(params=["self", "nobody"])
def anyone(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with bench_of(nobody=request.param == "nobody") as made:
        yield made


def lay_out(bench: Bench, names: tuple[str, ...], folder: str = ".") -> str:
    """Put the workflow of the tiles on a bench, with a picture of these tiles; return its file."""
    bench.write(f"{folder}/cut.py", CUT)
    bench.write(f"{folder}/data/raw.png", "".join(f"{name}\n" for name in names))
    bench.write(f"{folder}/tiles.yaml", TILES.read_text(encoding="utf-8"))
    return f"{folder}/tiles.yaml"


def total_of(names: tuple[str, ...]) -> str:
    """Return what the workflow of the tiles says of a picture of these."""
    sizes = {name: number for number, name in enumerate(names, 1)}
    return "".join(f"{sizes[name]} tiles/{name}.png\n" for name in sorted(names))


def run_tiles(bench: Bench, names: tuple[str, ...], *options: str) -> str:
    bench.run(lay_out(bench, names), *options)
    return (bench.results / "total.txt").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------ placements


@pytest.mark.parametrize("placement", ["", *PLACEMENTS])
def test_tiles_of_any_name_are_the_same_under_every_placement(bench: Bench, placement: str) -> None:
    options = ["--placement", placement] if placement else []

    assert run_tiles(bench, ODD_NAMES, *options) == total_of(ODD_NAMES)
    outcomes = bench.rows(
        "SELECT outcome, count(*) FROM tasks WHERE type IN ('cut', 'score', 'total') GROUP BY 1"
    )
    assert outcomes == [("ran", len(ODD_NAMES) + 2)]


@pytest.mark.parametrize("placement", ["links", "baseline"])
def test_an_ordinary_user_runs_tiles(anyone: Bench, placement: str) -> None:
    assert run_tiles(anyone, ("a", "b c"), "--placement", placement) == total_of(("a", "b c"))


@pytest.mark.parametrize("placement", ["links", "baseline", "clustering"])
@pytest.mark.parametrize("count", [0, 1])
def test_no_tile_and_one_tile(bench: Bench, placement: str, count: int) -> None:
    names = ("only",)[:count]

    assert run_tiles(bench, names, "--placement", placement) == total_of(names)
    assert bench.rows("SELECT count(*) FROM tasks WHERE type = 'score'") == [(count,)]


def test_five_hundred_tiles(bench: Bench) -> None:
    names = tuple(f"tile {number:03}" for number in range(500))

    assert run_tiles(bench, names) == total_of(names)
    assert bench.rows("SELECT count(*) FROM phases WHERE kind = 'exec' AND status = 'ok'") == [(502,)]


def test_every_execution_is_recorded_with_its_process_cpu_time_and_place(bench: Bench) -> None:
    run_tiles(bench, ("a", "b"))

    executions = bench.rows("""
        SELECT t.name, p.status, p.attempt, p.end_ns >= p.start_ns FROM phases p JOIN tasks t ON t.id = p.task
        WHERE p.kind = 'exec' ORDER BY p.start_ns""")
    processes = bench.rows("""
        SELECT count(DISTINCT x.id) FROM phases x JOIN phases p ON p.parent = x.id
        WHERE x.kind = 'exec' AND p.kind = 'process'""")

    assert len(executions) == 4
    assert {row[1:] for row in executions} == {("ok", 1, True)}
    assert processes == [(4,)]


def test_files_have_their_sizes_where_they_came_from_outside_too(bench: Bench) -> None:
    run_tiles(bench, ("a", "b"))

    sizes = dict(bench.rows("SELECT name, bytes FROM files"))

    assert sizes["data/raw.png"] == (bench.folder / "data/raw.png").stat().st_size
    assert [name for name, size in sizes.items() if size is None] == ["notes.txt"]  # nobody had to make it


def test_what_was_made_before_is_not_made_again_unless_it_changed(bench: Bench) -> None:
    run_tiles(bench, ("a", "b"))
    again = run_tiles(bench, ("a", "b"))
    cached = bench.rows(
        "SELECT outcome, count(*) FROM tasks WHERE type IN ('cut', 'score', 'total') GROUP BY 1"
    )
    changed = run_tiles(bench, ("a", "b", "c"))
    rerun = bench.rows(
        "SELECT type, outcome, count(*) FROM tasks WHERE type = 'score' GROUP BY ALL ORDER BY 2"
    )

    assert again == total_of(("a", "b"))
    assert cached == [("cached", 4)]
    assert changed == total_of(("a", "b", "c"))
    assert rerun == [("score", "cached", 2), ("score", "ran", 1)]


# ------------------------------------------------------------------------------------------ forms


def test_a_python_file_a_folder_and_a_parameter(bench: Bench) -> None:
    bench.write("made.py", PYTHON)
    bench.write("folder/workflow.py", PYTHON)
    bench.run("made.py", "--set", "parts=[x]")
    chosen = (bench.results / "all.txt").read_text()
    bench.run("folder", "--out", "elsewhere")

    assert chosen == "x\n"
    assert (bench.folder / "elsewhere" / "all.txt").read_text() == "aa\nab\n"


def test_a_folder_with_a_yaml_file_and_fewer_parts(bench: Bench) -> None:
    lay_out_static(bench, "here")
    (bench.folder / "here" / "static.yaml").rename(bench.folder / "here" / "workflow.yaml")
    bench.run("here", "--set", "parts=[ab]")

    assert (bench.results / "last.txt").read_text() == "ab\nall\n" * 2
    assert bench.runs()[-1].name.split("-")[1] == "here"


# ------------------------------------------------------------------------------------------ plans


def lay_out_static(bench: Bench, folder: str = ".") -> str:
    for part in ("aa", "ab", "ac"):
        bench.write(f"{folder}/raw/{part}.txt", f"{part}\n")
    bench.write(f"{folder}/raw/all.txt", "all\n")
    bench.write(f"{folder}/twice.sh", 'cat "$1" "$1"\n')
    bench.write(f"{folder}/static.yaml", STATIC)
    return f"{folder}/static.yaml"


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_run_does_what_its_plan_said(bench: Bench, placement: str) -> None:
    workflow = lay_out_static(bench)
    plan = bench.json("plan", workflow, "--placement", placement)
    bench.run(workflow, "--placement", placement)

    assert bench.rows(f"SELECT count(*) FROM phases WHERE kind = 'job' AND NOT {AUXILIARY}") == [
        (plan["jobs"],)
    ]
    assert bench.rows(f"SELECT count(*) FROM phases WHERE kind = 'job' AND {AUXILIARY}") == [
        (plan["auxiliary_jobs"],)
    ]
    brought, sent = (bench.rows(MOVED.format(kind=kind))[0] for kind in ("stage_in", "stage_out"))
    assert (brought[0], sent[0]) == (plan["brought"]["files"], plan["sent"]["files"])
    assert brought[0] + sent[0] == plan["files_moved"]
    check_bytes(plan, brought[1], sent[1], made=made_bytes(bench))


def check_bytes(plan: dict[str, Any], brought: int, sent: int, made: dict[str, int]) -> None:
    """Check bytes against a plan, which knows those of files that are there, but not of those to be made."""
    least = plan["at_least"].get("bytes_moved", plan["bytes_moved"])
    known = plan["bytes_moved"] is not None
    if plan["files_moved"] == 0:
        assert (known, brought, sent) == (True, 0, 0)
    elif plan["jobs"] == 1:
        assert (brought, sent) == (least, made["last.txt"])
    else:
        between = made["first"] + made["second"]
        assert (brought, sent) == (least + between, between + made["last.txt"])


def made_bytes(bench: Bench) -> dict[str, int]:
    sizes = {part: 2 * (len(f"{part}\n") + len("all\n")) for part in ("aa", "ab", "ac")}
    second = sum(sizes.values())
    assert (bench.results / "last.txt").stat().st_size == second
    return {"first": second // 2, "second": second, "last.txt": second}
