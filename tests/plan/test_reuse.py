from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from longpole.plan.reuse import Ingredients, fingerprint

texts = st.text(max_size=8)
maps = st.dictionaries(texts, texts, max_size=4)
ingredients = st.builds(
    Ingredients,
    command=texts,
    outputs=st.lists(texts, max_size=3).map(tuple),
    environment=maps,
    image=texts,
    programs=maps,
    inputs=maps,
)


def turned(part):
    return dict(reversed(part.items()))


def same(one, other):
    return replace(one, outputs=tuple(sorted(one.outputs))) == replace(
        other, outputs=tuple(sorted(other.outputs))
    )


@given(ingredients, ingredients)
def test_fingerprints_are_the_same_just_where_all_is_the_same(one, other):
    assert (fingerprint(one) == fingerprint(other)) == same(one, other)


@given(ingredients)
def test_the_order_of_files_and_variables_does_not_matter(task):
    other = replace(
        task,
        outputs=task.outputs[::-1],
        environment=turned(task.environment),
        programs=turned(task.programs),
        inputs=turned(task.inputs),
    )

    assert fingerprint(other) == fingerprint(task)


@given(ingredients, texts)
def test_every_part_matters(task, text):
    for changed in (
        replace(task, command=task.command + "x"),
        replace(task, image=task.image + "x"),
        replace(task, outputs=(*task.outputs, text)),
        replace(task, environment={**task.environment, "new": text}),
        replace(task, programs={**task.programs, "new.py": text}),
        replace(task, inputs={**task.inputs, "new.txt": text}),
    ):
        assert fingerprint(changed) != fingerprint(task)


@given(maps, maps)
def test_a_file_is_not_taken_for_one_of_another_kind(one, other):
    task = Ingredients("", programs=one, inputs=other)

    assert (fingerprint(task) == fingerprint(Ingredients("", programs=other, inputs=one))) == (one == other)


def test_texts_do_not_run_into_each_other():
    assert fingerprint(Ingredients("ab", image="c")) != fingerprint(Ingredients("a", image="bc"))
    assert fingerprint(Ingredients("", inputs={"a": "bc"})) != fingerprint(
        Ingredients("", inputs={"ab": "c"})
    )
    assert fingerprint(Ingredients("1", image="2")) != fingerprint(Ingredients("12"))


def test_names_that_are_no_utf8_have_a_fingerprint():
    assert fingerprint(Ingredients("cat \udcff")) != fingerprint(Ingredients("cat \udcfe"))
