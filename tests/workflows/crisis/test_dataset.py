"""CrisisMMD as it is published: which rows count, what they are called, what is said if parts are missing."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from longpole.describe.load import load_workflow
from longpole.model.workflow import WorkflowError
from tests.workflows.crisis.micro import COUNTS, own
from tests.workflows.modules import WORKFLOWS

CRISIS = WORKFLOWS / "crisis"
HEADER = "event_name tweet_id image_id tweet_text image label label_text label_image label_text_image".split()  # noqa: SIM905
ROWS = [
    # tweet, k, text, labels of text and image
    ("1", "0", "a first post", "informative", "informative"),
    ("1", "1", "a first post", "informative", "informative"),
    ("1", "2", "a first post", "informative", "not_informative"),
    ("2", "0", 'a "quoted, one', "not_informative", "not_informative"),
    ("3", "0", "who knows", "dont_know", "dont_know"),
    ("2", "0", 'a "quoted, one', "not_informative", "not_informative"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six rows by hand, the same for each split."""
    for split in own.dataset.SPLITS:
        path = own.dataset.split_file(tmp_path, split)
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join("\t".join(row) for row in [HEADER, *lines(tmp_path, split)]) + "\n")
    (tmp_path / own.dataset.VECTORS).write_text("word 1 2 3\n")
    return tmp_path


def lines(folder: Path, split: str) -> list[list[str]]:
    found = []
    for tweet, k, text, label_text, label_image in ROWS:
        image = f"data_image/quake/1_9_2017/{split}{tweet}_{k}.jpg"
        (folder / image).parent.mkdir(parents=True, exist_ok=True)
        (folder / image).touch()
        agree = "Positive" if label_text == label_image else "Negative"
        names = ["quake", tweet, f"{tweet}_{k}", text, image]
        found.append([*names, label_text, label_text, label_image, agree])
    return found


def test_pictures_whose_labels_agree_are_taken_once(folder):
    posts = own.dataset.read_posts(folder, "tiny")

    expected = ["1_0_informative", "1_1_informative", "2_0_not_informative"]
    assert [picture.name for picture in posts.pictures] == [
        f"{split}_{name}" for split in ("train", "dev", "test") for name in expected
    ]
    assert posts.pictures[0].path == folder / "data_image/quake/1_9_2017/train1_0.jpg"


def test_each_text_of_a_split_is_prepared_once(folder):
    posts = own.dataset.read_posts(folder, "tiny")

    with posts.texts["dev"].open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["tweet_id", "text", "label"],
            ["1", "a first post", "informative"],
            ["2", 'a "quoted, one', "not_informative"],
        ]


def test_texts_that_are_prepared_already_keep_their_time(folder):
    first = own.dataset.read_posts(folder, "tiny").texts["train"].stat()

    assert own.dataset.read_posts(folder, "tiny").texts["train"].stat().st_mtime_ns == first.st_mtime_ns


def test_a_part_of_the_posts_has_texts_of_its_own(data):
    whole, part = own.dataset.read_posts(data, "tiny"), own.dataset.read_posts(data, "tiny", limit=22)

    assert len(whole.pictures) == sum(COUNTS)
    assert [sum(each.name.startswith(split) for each in part.pictures) for split in own.dataset.SPLITS] == [
        12, 6, 4,
    ]  # fmt: skip
    assert part.texts["train"] != whole.texts["train"]
    assert len(part.texts["train"].read_text().splitlines()) <= 12 + 1


@pytest.mark.parametrize(
    "name",
    ["glove.twitter.27B.200d.txt", "crisismmd_datasplit_all/task_informative_text_img_dev.tsv"],
)
def test_a_file_that_is_missing_is_named_with_where_to_get_it(folder, name):
    (folder / name).unlink()

    with pytest.raises(ValueError, match=f"{name} is not there. Get CrisisMMD v2.0 and .* or make synthetic"):
        own.dataset.read_posts(folder, "tiny")


def test_pictures_that_are_missing_are_counted(folder):
    shutil.rmtree(folder / "data_image")

    with pytest.raises(ValueError, match=r"9 of 9 pictures are not there, the first is .*train1_0.jpg. Get "):
        own.dataset.read_posts(folder, "tiny")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("label_image\t", "label_picture\t", "has no column label_image"),
        ("\tPositive", "", "Line 2 of .* is cut short"),
        ("informative\tPositive", "else\tPositive", "name no picture of some split whose labels agree"),
    ],
)
def test_a_split_file_of_another_shape_is_refused(folder, before, after, complaint):
    path = own.dataset.split_file(folder, "test")
    path.write_text(path.read_text().replace(before, after))

    with pytest.raises(ValueError, match=complaint):
        own.dataset.read_posts(folder, "tiny")


def test_a_folder_that_cannot_be_written_is_told(folder):
    (folder / "prepared").touch()

    with pytest.raises(
        ValueError, match=r"prepared/all/train.csv cannot be written \(.*\). Link the data set"
    ):
        own.dataset.read_posts(folder, "tiny")


def test_the_workflow_takes_names_and_places_from_the_data(folder):
    described = load_workflow(CRISIS, {"data": str(folder)})

    assert described.sets["image"].listed is not None
    assert len(described.sets["image"].listed) == 9
    assert described.files["images/dev_2_0_not_informative.jpg"].path.endswith("dev2_0.jpg")
    assert described.files["texts/test.csv"].path == str(folder / "prepared" / "all" / "test.csv")


def test_data_that_is_not_there_is_refused_if_it_was_named(tmp_path):
    with pytest.raises(WorkflowError, match=r"task_informative_text_img_train.tsv is not there. Get "):
        load_workflow(CRISIS, {"data": str(tmp_path / "nowhere")})


def test_synthetic_data_is_advised_at_the_scale_asked_for_and_never_among_a_user_s_own(folder):
    (folder / own.dataset.VECTORS).unlink()
    made = CRISIS / "data" / "small"

    with pytest.raises(WorkflowError) as caught:
        load_workflow(CRISIS, {"data": str(folder), "scale": "small"})
    assert f"--scale small', which goes to {made} and is found if no data= is given" in str(caught.value)
    assert f"--out {folder}" not in str(caught.value)


def test_weights_are_an_input_of_learning_only_if_they_are_given():
    without = load_workflow(CRISIS, {"scale": "paper"})
    given = load_workflow(CRISIS, {"scale": "paper", "weights": "/models/resnet50.pth"})

    for job in ("hpo_resnet", "train_resnet"):
        more = set(given.templates[job].inputs) - set(without.templates[job].inputs)
        assert [use.patterns for use in more] == [("weights/resnet50.pth",)]
        assert "--weights" in given.templates[job].command
    assert given.templates["infer_resnet"] == without.templates["infer_resnet"]
    assert given.files["weights/resnet50.pth"].path == "/models/resnet50.pth"


def test_published_pictures_are_judged_on_the_cpu_and_tuned_ones_where_there_is_a_gpu():
    jobs = {
        variant: load_workflow(CRISIS, {"scale": "paper", "variant": variant}).templates["infer_resnet"]
        for variant in ("published", "tuned")
    }

    assert "--device cpu" in jobs["published"].command
    assert "--device auto" in jobs["tuned"].command
    assert [jobs[variant].resources.gpus for variant in ("published", "tuned")] == [0, 1]


@pytest.mark.parametrize(("name", "value"), [("variant", "slow"), ("device", "tpu")])
def test_a_choice_that_is_none_is_refused(name, value):
    with pytest.raises(WorkflowError, match=f"{name}: '{value}' cannot be chosen"):
        load_workflow(CRISIS, {name: value})


def test_parts_of_a_scale_can_be_run_alone():
    described = load_workflow(CRISIS, {"scale": "paper", "limit": "1000", "trials": "1", "epochs": "3"})

    assert described.sets["image"].listed is not None
    assert len(described.sets["image"].listed) == pytest.approx(1000, abs=2)
    assert "--trials 1" in described.templates["hpo_resnet"].command
    assert "--epochs 3" in described.templates["train_bilstm"].command


def test_jobs_in_a_container_use_its_own_python():
    assert load_workflow(CRISIS, {"container": "my.sqfs"}).parameters["python"] == "python3"
    assert load_workflow(CRISIS, {"scale": "paper", "container": "none"}).templates["late_fusion"].image == ""
