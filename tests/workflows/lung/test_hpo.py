"""The search: it prefers the best rate, repeats itself under a seed, and goes on where it was broken off."""

from __future__ import annotations

import json

import pytest

from tests.parts import need
from tests.workflows.lung.micro import programs

need("torch", "optuna")

import torch  # noqa: E402

hpo, unet = programs.hpo, programs.unet
VARIANTS = ("published", "tuned")


class BrokenOffError(Exception):
    """Stands for a kill in a test."""


def searched(micro, monkeypatch, **told):
    """Search in this process."""
    monkeypatch.chdir(micro.folder)
    monkeypatch.setattr("sys.argv", ["hpo.py", *micro.search(**told)])
    asked = hpo._arguments()
    search = hpo.Search(asked, unet.way_of(asked.variant, asked.device, asked.cores))
    search.study = search.run()
    return search


def proposed(search):
    return [(trial.params["rate"], trial.value) for trial in search.study.trials]


def break_off(monkeypatch, after):
    """Let a model be judged so many times, and then no more."""
    judge, judged = unet.Learner.judge, list[object]()

    def judge_some(self, data):
        if len(judged) >= after:
            raise BrokenOffError
        judged.append(self)
        return judge(self, data)

    monkeypatch.setattr(unet.Learner, "judge", judge_some)


def note_learning(monkeypatch):
    """Return where it is noted that a model learns for an epoch."""
    learn, learnt = unet.Learner.learn, list[object]()

    def learn_noted(self, *given):
        learnt.append(self)
        return learn(self, *given)

    monkeypatch.setattr(unet.Learner, "learn", learn_noted)
    return learnt


def test_the_rate_of_the_best_dice_is_chosen(micro):
    done = micro.call_here("hpo", *micro.search(trials=5, epochs=3))
    best = json.loads((micro.folder / "best.json").read_text())
    kept = torch.load(micro.folder / "hpo.pth", weights_only=True)

    assert done.returncode == 0, done.stderr
    assert best["trials"] == 5
    best_key = max(kept["found"], key=lambda key: kept["found"][key])
    assert best["dice"] == kept["found"][best_key] > min(kept["found"].values())
    assert best["rate"] == float(best_key.split()[1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_search_repeats_itself(micro, monkeypatch, variant):
    one = searched(micro, monkeypatch, variant=variant)
    other = searched(micro, monkeypatch, variant=variant, checkpoint="other.pth")

    assert proposed(one) == proposed(other)


def test_both_variants_propose_the_same(micro, monkeypatch):
    one, other = (
        searched(micro, monkeypatch, variant=variant, checkpoint=f"{variant}.pth", trials=6, epochs=1)
        for variant in VARIANTS
    )

    assert [rate for rate, _ in proposed(one)] == [rate for rate, _ in proposed(other)]
    assert len(one.found) == 6
    assert len(other.found) == len({rate for rate, _ in proposed(other)}) < 6
    for (_, dice), (_, tuned) in zip(proposed(one), proposed(other), strict=True):
        assert tuned == pytest.approx(dice, abs=0.1)


@pytest.mark.parametrize(
    ("variant", "after"), [*(("published", n) for n in range(1, 6)), ("tuned", 2), ("tuned", 3)]
)
def test_a_search_that_was_broken_off_ends_as_one_that_was_not(micro, monkeypatch, variant, after):
    undisturbed = searched(micro, monkeypatch, variant=variant, checkpoint="undisturbed.pth")
    with monkeypatch.context() as disturbed:
        break_off(disturbed, after)
        try:
            searched(micro, disturbed, variant=variant)
        except BrokenOffError:
            pass
    learnt = note_learning(monkeypatch)

    resumed = searched(micro, monkeypatch, variant=variant)

    assert proposed(resumed) == proposed(undisturbed)
    if variant == "published":
        assert len(learnt) == 6 - after, "what was kept is not learnt again"


def test_more_trials_go_on_from_those_that_were(micro, monkeypatch):
    whole = searched(micro, monkeypatch, trials=3, checkpoint="whole.pth")
    searched(micro, monkeypatch, trials=1)

    assert proposed(searched(micro, monkeypatch, trials=3)) == proposed(whole)


@pytest.mark.parametrize("content", [b"", b"\x80\x04damaged", None])
def test_a_damaged_checkpoint_means_to_start_fresh(micro, content):
    if content is not None:
        (micro.folder / "hpo.pth").write_bytes(content)

    done = micro.call_here("hpo", *micro.search(trials=1, epochs=1))

    assert done.returncode == 0
    assert done.stderr.count("starting fresh") == 1
    assert (micro.folder / "best.json").exists()


def test_a_checkpoint_of_other_pictures_is_not_gone_on_from(micro):
    micro.call_here("hpo", *micro.search(trials=1, epochs=1))
    one, other = (micro.folder / f"prepared/val{n}_norm.png" for n in range(2))
    one.write_bytes(other.read_bytes())

    done = micro.call_here("hpo", *micro.search(trials=1, epochs=1))

    assert "hpo.pth is of another setting: starting fresh" in done.stderr


def test_a_list_that_is_not_there_is_told_in_a_sentence(micro):
    done = micro.call_here("hpo", *micro.search(**{"train-images": "nowhere"}))

    assert done.returncode == 1
    assert done.stderr == "hpo: [Errno 2] No such file or directory: 'nowhere'\n"
