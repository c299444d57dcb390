"""Synthetic posts: the same whatever makes them, in the published layout, telling by order and shape."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.workflows.crisis.micro import COUNTS, generate, own, programs

need("pillow")


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and "prepared" not in path.parts
    }


def test_the_number_of_processes_makes_no_difference(data, tmp_path):
    assert contents(generate(tmp_path, processes=3)) == contents(data)


def test_another_seed_makes_other_posts(data, tmp_path):
    made, other = contents(data), contents(generate(tmp_path, seed=2))

    names = [name for name in made if name.endswith((".jpg", ".tsv", ".txt"))]
    assert not any(made[name] == other.get(name) for name in names)


def test_what_was_stopped_goes_on_and_keeps_what_is_there(data, tmp_path):
    generate(tmp_path)
    pictures = sorted(tmp_path.rglob("*.jpg"))
    for path in (*pictures[:5], tmp_path / own.dataset.VECTORS, own.dataset.split_file(tmp_path, "dev")):
        path.unlink()
    kept = pictures[5].stat().st_mtime_ns

    generate(tmp_path)

    assert contents(tmp_path) == contents(data)
    assert pictures[5].stat().st_mtime_ns == kept


def test_a_folder_of_another_seed_is_not_mixed_with(tmp_path):
    generate(tmp_path)

    with pytest.raises(ValueError, match=r'holds data made with .*"seed": 1.*; remove it, or choose another'):
        generate(tmp_path, seed=2)


@pytest.mark.parametrize(
    "name",
    [
        "crisismmd_datasplit_all/task_informative_text_img_train.tsv",
        "annotations/hurricane_irma_final_data.tsv",
        "data_image/hurricane_irma/6_9_2017/905274232589004800_0.jpg",
        "glove.twitter.27B.200d.txt",
    ],
)
def test_real_posts_are_left_alone(tmp_path, name):
    real = tmp_path / name
    real.parent.mkdir(parents=True, exist_ok=True)
    real.write_text("real")
    before = contents(tmp_path)

    with pytest.raises(ValueError, match=r"holds data that is not synthetic \(.*\); choose another folder"):
        generate(tmp_path)
    assert contents(tmp_path) == before


def test_the_published_layout_is_made(data):
    posts = own.dataset.read_posts(data, "tiny")

    assert Counter(each.name.split("_")[0] for each in posts.pictures) == dict(
        zip(("train", "dev", "test"), COUNTS, strict=True)
    )
    assert all(each.path.name.split("_")[0] == each.tweet for each in posts.pictures)
    assert len(list((data / "annotations").iterdir())) == 7
    assert not list(data.rglob(".*")), "nothing half-written is left"


def test_the_scale_of_the_paper_has_its_counts():
    scale = own.scales.SCALES["paper"]
    rows = [row for split in own.dataset.SPLITS for row in own.generate.rows_of(split, scale, 10, 0)]
    agreeing = Counter(row.split for row in rows if row.label_text == row.label_image)

    assert len(rows) == 18_082
    assert len({(row.split, row.tweet) for row in rows}) == 16_058
    assert agreeing == {"train": 9631, "dev": 1573, "test": 1534}
    assert len({(row.split, row.tweet, row.k) for row in rows}) == len(rows)


def test_vectors_have_the_size_of_the_papers_file():
    vectors, scale = own.synthetic_vectors, own.scales.SCALES["paper"]

    assert vectors.LINE_BYTES * scale.other_words == pytest.approx(758e6, rel=0.01)


def test_words_of_one_meaning_are_near_each_other(data):
    words = programs.bilstm.all_vectors(
        data / own.dataset.VECTORS, {"flood", "storm", "bridge", "road", "kakaka"}
    )
    flood, storm, bridge, road, rare = (
        words[word] / np.linalg.norm(words[word]) for word in ("flood", "storm", "bridge", "road", "kakaka")
    )

    assert min(flood @ storm, bridge @ road) > 0.5
    assert max(abs(flood @ bridge), abs(flood @ rare)) < 0.3


def test_every_line_of_vectors_has_a_word_of_its_own_and_200_numbers(data):
    lines = (data / own.dataset.VECTORS).read_text().splitlines()

    assert {len(line.split(" ")) for line in lines} == {201}
    assert len({line.split(" ")[0] for line in lines}) == len(lines)


def texts(label: str, count: int) -> list[list[str]]:
    make, clean = own.synthetic_texts.text_of, programs.preprocess_tweets.clean
    return [
        clean(make(np.random.default_rng(n), label, "hurricane_irma", clear=True)).split()
        for n in range(count)
    ]


def test_both_kinds_of_texts_are_made_of_the_same_words():
    inform, do_not = texts("informative", 50), texts("not_informative", 50)

    assert [Counter(words) for words in inform] == [Counter(words) for words in do_not]
    for words in inform:
        hazard = next(n for n, word in enumerate(words) if word in own.synthetic_texts.HAZARDS)
        place = next(n for n, word in enumerate(words) if word in own.synthetic_texts.PLACES)
        assert hazard < place


def test_both_kinds_of_pictures_have_the_same_light():
    means = {
        label: np.mean([mean_of(label, n) for n in range(40)]) for label in ("informative", "not_informative")
    }

    assert means["informative"] == pytest.approx(means["not_informative"], abs=5)


def mean_of(label: str, seed: int) -> float:
    import io

    from PIL import Image

    made = own.synthetic_pictures.picture_of(np.random.default_rng(seed), label, 96, clear=True)
    return float(np.asarray(Image.open(io.BytesIO(made))).mean())


def test_posts_of_the_workflow_have_the_same_text_for_all_their_pictures(data):
    with own.dataset.split_file(data, "train").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))

    said: dict[str, set[str]] = {}
    for row in rows:
        said.setdefault(row["tweet_id"], set()).add(row["tweet_text"])
    assert max(map(len, said.values())) == 1
    assert len(said) == 50
