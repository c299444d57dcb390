"""The critical path as people read it: neighbours that belong to the same thing are one part."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.analyse.blame import NOTHING, Labels
from longpole.analyse.path import Because, Stretch
from longpole.analyse.tree import Tree
from longpole.model.explanation import PathPart


def path_parts(tree: Tree, path: Sequence[Stretch], labels: Labels) -> tuple[PathPart, ...]:
    """Return the parts of a path in their order."""
    begin = int(tree.start_ns[0]) if len(tree) else 0
    found: list[PathPart] = []
    for stretch in path:
        what, kind = _named(tree, stretch, labels)
        start_s, seconds = (stretch.start_ns - begin) / 1e9, (stretch.end_ns - stretch.start_ns) / 1e9
        if found and (found[-1].what, found[-1].kind) == (what, kind):
            last = found.pop()
            found.append(PathPart(what, kind, last.start_s, last.seconds + seconds, last.count + 1))
        else:
            found.append(PathPart(what, kind, start_s, seconds))
    return tuple(found)


def _named(tree: Tree, stretch: Stretch, labels: Labels) -> tuple[str, str]:
    if stretch.because is Because.IDLE:
        return NOTHING, Because.IDLE.value
    if stretch.because is Because.WORK:
        return labels.of(stretch.phase), tree.kinds[int(tree.kind[stretch.phase])]
    return labels.of(stretch.phase), stretch.because.value
