"""Random workflows: templates that use what earlier ones make, over sets known before or while they run."""

from __future__ import annotations

from hypothesis import strategies as st

from longpole.model.plan import Clustering, Grouping
from longpole.model.workflow import NamedSet, Resources, Retry, Template, Uses, Workflow

_GROUPINGS = (
    *(Clustering(), Clustering(Grouping.LABEL), Clustering(Grouping.WHOLE)),
    *(Clustering(Grouping.HORIZONTAL, tasks=2), Clustering(Grouping.HORIZONTAL, jobs=2)),
)


def clusterings() -> st.SearchStrategy[Clustering]:
    return st.sampled_from(_GROUPINGS)


@st.composite
def workflows(draw, labels: bool = True) -> Workflow:
    """Return a workflow that two cores, 1000 bytes and one GPU are enough for."""
    sets = {
        name: NamedSet(name, values=tuple(f"{name}{at}" for at in range(draw(st.integers(0, 3)))))
        for name in ("a", "b")
    }
    templates: dict[str, Template] = {}
    outputs: list[str] = []
    for number in range(draw(st.integers(1, 6))):
        name = f"t{number}"
        chosen = tuple(draw(st.lists(st.sampled_from(sorted(sets)), unique=True, max_size=2)))
        used = draw(st.lists(st.sampled_from(outputs), unique=True, max_size=3)) if outputs else []
        made = [f"{name}/" + "-".join(["o", *(f"{{{each}}}" for each in chosen)])]
        new: list[NamedSet] = []
        if draw(st.booleans()) and len(sets) < 5:  # it tells the members of a set
            own = f"s{number}"
            pattern = f"{name}/many/" + "".join(f"{{{each}}}/" for each in chosen) + f"{{{own}}}"
            made.append(pattern)
            new.append(NamedSet(own, made=pattern))
        templates[name] = Template(
            name,
            command=f"run {name}",
            for_each=tuple((each,) for each in chosen),
            inputs=tuple(Uses("", (pattern,)) for pattern in used),
            outputs=tuple(Uses("", (pattern,)) for pattern in made),
            cluster=draw(_labels(chosen)) if labels else "",
            resources=draw(_resources()),
            retry=draw(st.builds(Retry, st.integers(0, 2), st.sampled_from((1.0, 2.0)))),
        )
        outputs += made
        sets |= {each.name: each for each in new}
    return Workflow("made", "/nowhere", sets=sets, templates=templates)


def _labels(sets: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(["", "one", "two", *(f"of-{{{name}}}" for name in sets)])


def _resources() -> st.SearchStrategy[Resources]:
    memory = st.sampled_from((None, None, 100, 400, 900))
    return st.builds(Resources, cores=st.integers(1, 2), memory_bytes=memory, gpus=st.integers(0, 1))
