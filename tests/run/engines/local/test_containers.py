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


def test_a_wrong_image_is_one_sentence(tmp_path: Path, image: Path):
    driven = Driven(tmp_path).write(given__txt="given")
    text = CONTAINED.format(image=f"{image}-nowhere", marker=MARKER, folder=driven.folder)
    driven.write(workflow__yaml=text).drive(1, container="bwrap")

    assert f"{image}-nowhere" in driven.causes("looks")[0]
    assert "Traceback" not in driven.said.stderr
