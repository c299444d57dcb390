"""Tasks in containers, by the engine: in their image, with read-only inputs, and as a phase."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.images import MARKER, SAID, images
from tests.parts import need
from tests.run.driven import Driven

CONTAINED = """
longpole: 1
name: contained
image: {image}
tasks:
  looks:
    inputs: {{given: given.txt}}
    run: "cat {marker} {{given}} > {{out}}; if touch {{given}} 2>/dev/null; then echo changed >> {{out}}; fi;
      if test -e {folder}/secret; then echo seen >> {{out}}; fi"
    outputs: {{out: out.txt}}
  more:
    inputs: {{before: out.txt}}
    run: "cat {{before}} > {{out}}"
    outputs: {{out: more.txt}}
"""


@pytest.fixture
def image() -> Iterator[Path]:
    need("bwrap")
    with images() as folder:
        yield folder / "root"


@pytest.mark.parametrize("wishes", [{}, {"cluster": "whole"}, {"placement": "baseline"}], ids=str)
def test_a_task_sees_its_image_and_its_folder_alone(tmp_path: Path, image: Path, wishes):
    driven = Driven(tmp_path).write(given__txt="given")
    text = CONTAINED.format(image=image, marker=MARKER, folder=driven.folder)
    (driven.folder / "secret").touch()
    driven.write(workflow__yaml=text).drive(container="bwrap", **wishes)

    assert (driven.out / "more.txt").read_text() == f"{SAID}given"
    assert (driven.folder / "described/given.txt").read_text() == "given"
    if "cluster" not in wishes:
        (container,) = driven.parts("looks", "container")
        assert container.name == "bwrap"
        assert container.end >= container.start
        (execution,) = driven.parts("looks", "exec")
        assert execution.used == ()  # the runtime's own time is not the task's


FANNED = """
longpole: 1
name: fanned
image: root
sets: {{n: {{values: [1, 2, 3, 4]}}}}
tasks:
  each: {{for_each: [n], run: "cat {marker} > {{out}}", outputs: {{out: "{{n}}.txt"}}}}
"""


@pytest.mark.parametrize(
    "wishes", [{}, {"cluster": "whole", "placement": "clustering"}, {"placement": "baseline"}]
)
def test_the_path_of_an_image_is_seen_from_the_workflows_folder(tmp_path: Path, image: Path, wishes):
    driven = Driven(tmp_path).write(workflow__yaml=FANNED.format(marker=MARKER))
    image.rename(driven.folder / "described/root")

    driven.drive(container="bwrap", **wishes)

    assert [path.read_text() for path in sorted(driven.out.iterdir())] == [SAID] * 4


@pytest.mark.parametrize("placement", ["links", "baseline"])
def test_what_a_registry_has_is_left_to_the_runtime(tmp_path: Path, placement: str):
    need("bwrap")
    driven = Driven(tmp_path).write(given__txt="given")
    text = CONTAINED.format(image="docker://nosuch", marker=MARKER, folder=driven.folder)

    driven.write(workflow__yaml=text).drive(1, container="bwrap", placement=placement)

    assert driven.causes("looks")[0].startswith("'docker://nosuch' is a reference, which bwrap cannot run.")


def test_a_wrong_image_is_one_sentence(tmp_path: Path, image: Path):
    driven = Driven(tmp_path).write(given__txt="given")
    text = CONTAINED.format(image=f"{image}-nowhere", marker=MARKER, folder=driven.folder)
    driven.write(workflow__yaml=text).drive(1, container="bwrap")

    assert f"{image}-nowhere" in driven.causes("looks")[0]
    assert "Traceback" not in driven.said.stderr
