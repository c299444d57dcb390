"""Galaxy's network: torchvision's names and shapes, the published head, and how it learns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parts import need
from tests.workflows.modules import Modules

need("torch", "pillow")
import torch  # noqa: E402

galaxy = Modules("galaxy/bin")
# Where torchvision's VGG16 has its convolutions, and how many channels they make.
CONVOLUTIONS = {
    0: 64, 2: 64, 5: 128, 7: 128, 10: 256, 12: 256, 14: 256,
    17: 512, 19: 512, 21: 512, 24: 512, 26: 512, 28: 512,
}  # fmt: skip
CPU = torch.device("cpu")
WIDTH, SIDE = 0.125, 32


def body_of_torchvision() -> dict[str, torch.Size]:
    shapes, before = {}, 3
    for layer, channels in CONVOLUTIONS.items():
        shapes[f"features.{layer}.weight"] = torch.Size((channels, before, 3, 3))
        shapes[f"features.{layer}.bias"] = torch.Size((channels,))
        before = channels
    return shapes


def whole() -> torch.nn.Module:
    with torch.device("meta"):
        return galaxy.model.VGG16()


def resident(count: int, seed: int = 0) -> object:
    chance = torch.Generator().manual_seed(seed)
    pictures = torch.randint(0, 256, (count, SIDE, SIDE, 3), dtype=torch.uint8, generator=chance)
    labels = torch.randint(0, 5, (count,), generator=chance)
    return galaxy.data.Resident(pictures, labels, 4, CPU)


def learner(transferred: int = 0, variant: str = "tuned", epochs: int = 3):
    torch.manual_seed(3)
    parameters = {"body_rate": 1e-3, "head_rate": 1e-3, "transferred": transferred, "decays": True}
    settings = galaxy.model.Settings(parameters, epochs, 3, CPU, variant)
    return galaxy.model.Learner(galaxy.model.VGG16(WIDTH, SIDE), settings, resident(14), resident(6, 1))


def weights_of(one) -> list[torch.Tensor]:
    return [each.clone() for each in one.model.state_dict().values()]


def test_the_body_has_the_names_and_shapes_of_torchvision():
    state = whole().state_dict()

    assert {name: each.shape for name, each in state.items() if name.startswith("features.")} == (
        body_of_torchvision()
    )


def test_the_network_has_as_many_parameters_as_the_published_one():
    head = (32768 * 512 + 512) + 2 * 512 + (512 * 64 + 64) + 2 * 64 + (64 * 5 + 5)

    assert sum(each.numel() for each in whole().features.parameters()) == 14_714_688
    assert galaxy.model.size_of(1.0, 256) == (14_714_688 + head, 4 * (14_714_688 + head))


def test_weights_of_torchvision_are_loaded(tmp_path):
    model = galaxy.model.VGG16(WIDTH, SIDE)
    body = {f"features.{name}": each + 1 for name, each in model.features.state_dict().items()}
    torch.save({**body, "classifier.0.weight": torch.zeros(7, 7)}, tmp_path / "vgg16.pth")

    model.load_body(tmp_path / "vgg16.pth")

    assert all(torch.equal(model.state_dict()[name], each) for name, each in body.items())


@pytest.mark.parametrize("content", [b"", b"no weights", None])
def test_a_file_that_is_no_body_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "vgg16.pth"
    if content is None:
        torch.save(galaxy.model.VGG16(2 * WIDTH, SIDE).state_dict(), path)
    else:
        path.write_bytes(content)

    with pytest.raises(ValueError, match="does not hold the body of a VGG16 of this width"):
        galaxy.model.VGG16(WIDTH, SIDE).load_body(path)


@pytest.mark.parametrize(("transferred", "free"), [(0, 26), (17, 12), (21, 8), (24, 6)])
def test_layers_below_the_transferred_one_are_frozen(transferred, free):
    model = galaxy.model.VGG16(WIDTH, SIDE)
    model.freeze(transferred)

    assert sum(each.requires_grad for each in model.features.parameters()) == free


def test_pictures_are_whitened_channel_by_channel():
    pixels = torch.randint(0, 256, (3, 40, 40), dtype=torch.uint8)
    numbers = galaxy.data.whitened(pixels)

    torch.testing.assert_close(numbers.mean((1, 2)), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(numbers.std((1, 2)), torch.ones(3), atol=0.1, rtol=0)
    assert galaxy.data.whitened(torch.full((3, 8, 8), 7, dtype=torch.uint8)).abs().max() == 0


def test_both_ways_give_the_same_batches(pictures):
    names = galaxy.data.names_in(pictures / "train.list")
    loaded = galaxy.data.Loaded(names, 8, CPU)
    kept = galaxy.data.Resident(*galaxy.data.decoded(names, 2), 8, CPU)

    for seed in (1, 2):
        for one, other in zip(loaded.shuffled(seed), kept.shuffled(seed), strict=True):
            torch.testing.assert_close(one[0], galaxy.data.whitened(other[0]))
            assert one[1].tolist() == other[1].tolist()
    assert torch.cat([labels for _, labels in loaded.in_order()]).tolist() == (
        torch.cat([labels for _, labels in kept.in_order()]).tolist()
    )


def test_workers_load_the_same_batches(pictures):
    names = galaxy.data.names_in(pictures / "val.list")
    alone, helped = (galaxy.data.Loaded(names, 5, CPU, workers) for workers in (0, 1))

    for one, other in zip(alone.shuffled(3), helped.shuffled(3), strict=True):
        assert torch.equal(one[0], other[0])


def test_every_picture_is_learned_from_once_an_epoch():
    seen = [int(n) for n in galaxy.data.order_of(50, 7)]

    assert sorted(seen) == list(range(50))
    assert seen != [int(n) for n in galaxy.data.order_of(50, 8)]


@pytest.mark.parametrize("transferred", [17, 21, 24])
def test_what_frozen_layers_make_is_made_once_and_changes_nothing(monkeypatch, transferred):
    kept = learner(transferred)
    monkeypatch.setattr(galaxy.model, "fits", lambda count_bytes, device: False)
    anew = learner(transferred)

    losses = [(kept.learn_epoch(), anew.learn_epoch()) for _ in range(2)]

    assert (kept.first, anew.first) == (transferred, 0)
    assert losses[0][0] == pytest.approx(losses[0][1], rel=1e-4)
    assert losses[1][0] == pytest.approx(losses[1][1], rel=1e-3)
    assert kept.judged(kept.val)[0] == pytest.approx(anew.judged(anew.val)[0], rel=1e-3)


def test_frozen_layers_do_not_learn_and_others_do():
    one = learner(transferred=24)
    before = weights_of(one)
    one.learn_epoch()

    changed = {
        name for name, old, new in zip(one.model.state_dict(), before, weights_of(one), strict=True)
        if not torch.equal(old, new)
    }  # fmt: skip
    assert {"features.24.weight", "features.28.bias", "classifier.0.weight"} <= changed
    assert not changed & {f"features.{layer}.weight" for layer in CONVOLUTIONS if layer < 24}


def test_two_learners_of_one_seed_learn_the_same():
    one, two = learner(), learner()
    for each in (one, two):
        each.learn_epoch()

    assert all(map(torch.equal, weights_of(one), weights_of(two)))


def test_a_learner_goes_on_as_if_it_had_never_stopped(tmp_path: Path):
    undisturbed, stopped, other = learner(), learner(), learner()
    for _ in range(3):
        undisturbed.learn_epoch()
    stopped.learn_epoch()
    galaxy.data.save_state(tmp_path / "state.pt", stopped.state(), "mine")
    other.restore(galaxy.data.load_state(tmp_path / "state.pt", "mine"))
    while other.epoch < 3:
        other.learn_epoch()

    assert all(map(torch.equal, weights_of(undisturbed), weights_of(other)))


@settings(max_examples=20)
@given(st.integers(1, 2000))
def test_rates_rise_and_fall(steps):
    factors = [galaxy.model.rate_factor(step, steps, decays=True) for step in range(steps)]

    assert all(0 < factor <= 1 for factor in factors)
    top = factors.index(max(factors))
    assert factors[:top] == sorted(factors[:top])
    assert factors[top:] == sorted(factors[top:], reverse=True)
    assert galaxy.model.rate_factor(steps - 1, steps, decays=False) == 1


def test_operations_are_counted_once_where_they_are_done_once():
    free, frozen = learner(0), learner(24)

    def epoch(one) -> int:
        return int(galaxy.model.flops_of(one, 3) - galaxy.model.flops_of(one, 2))

    assert galaxy.model.flops_of(free, 2) == 2 * epoch(free)
    assert galaxy.model.flops_of(frozen, 2) > 2 * epoch(frozen)
    assert 0 < epoch(frozen) < epoch(free) / 3


def test_operations_are_those_of_the_layers():
    one = learner()
    convolutions, before, side = 0, 3, SIDE
    for layer, channels in CONVOLUTIONS.items():
        side = SIDE >> sum(layer > pool for pool in (4, 9, 16, 23))
        after = galaxy.model.narrowed(channels, WIDTH)
        convolutions += 2 * 9 * before * after * side**2
        before = after
    first = 2 * 9 * 3 * galaxy.model.narrowed(64, WIDTH) * SIDE**2
    dense = 2 * (before * 512 + 512 * 64 + 64 * 5)
    forward = convolutions + dense

    # Backward does it twice more, but for the pictures themselves, which need no gradients.
    pictures = len(one.train) * one.train.batch
    assert galaxy.model.flops_of(one, 1) == pictures * (3 * forward - first) + one.val.count * forward


def test_steps_that_settle_take_no_chance_from_an_epoch(monkeypatch):
    plain, settled = learner(), learner()
    plain.learn_epoch()

    def new_step(one):
        torch.rand(7)
        return one._plain_step

    monkeypatch.setattr(galaxy.model.Learner, "_new_step", new_step)
    settled.learn_epoch()

    assert all(map(torch.equal, weights_of(plain), weights_of(settled)))


@pytest.mark.parametrize(
    ("variant", "device", "repeats"),
    [("published", "cuda", True), ("tuned", "cuda", False), ("published", "cpu", False)],
)
def test_the_published_way_repeats_itself_on_a_gpu(monkeypatch, variant, device, repeats):
    monkeypatch.setattr(galaxy.model.VGG16, "to", lambda model, *where, **how: model)
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    chosen = galaxy.model.Settings({}, 1, 1, torch.device(device), variant)
    try:
        galaxy.model.placed(galaxy.model.VGG16(WIDTH, SIDE), chosen)
        assert torch.are_deterministic_algorithms_enabled() == repeats
        assert ("CUBLAS_WORKSPACE_CONFIG" in os.environ) == repeats
    finally:
        torch.use_deterministic_algorithms(False)


def test_what_settling_changes_is_taken_back():
    fresh, resumed = learner(), learner()
    resumed.learn_epoch()
    for one in (fresh, resumed):
        before = [(each, each.detach().clone()) for each in one._changing()]
        weights, moments = weights_of(one), moments_of(one)
        for pictures, labels in one.train.shuffled(0):
            one._plain_step(pictures, labels)
        one._undo(before)

        assert all(map(torch.equal, weights, weights_of(one)))
        assert all(
            map(torch.equal, moments or [torch.zeros_like(each) for each in moments_of(one)], moments_of(one))
        )


def moments_of(one) -> list[torch.Tensor]:
    return [each.clone() for state in one.optimizer.state.values() for each in state.values()]


def test_a_process_takes_its_part_of_the_memory(monkeypatch):
    monkeypatch.setattr(galaxy.data, "_memory_here", lambda: (900, 1000))

    assert (galaxy.data.fits(699, CPU), galaxy.data.fits(701, CPU)) == (True, False)
    galaxy.data.share_memory_with(2)
    try:
        assert (galaxy.data.fits(349, CPU), galaxy.data.fits(351, CPU)) == (True, False)
    finally:
        galaxy.data.share_memory_with(1)


def test_a_process_that_complains_is_heard():
    def work(number: int) -> int:
        if number == 2:
            raise ValueError("two is too many")
        return number * 10

    assert list(galaxy.data.side_by_side(work, [0, 1])) == [(0, 0), (1, 10)]
    with pytest.raises(ValueError, match="two is too many"):
        list(galaxy.data.side_by_side(work, [1, 2]))


def test_pictures_of_two_sizes_are_not_decoded_together(tmp_path):
    from PIL import Image

    for n, side in enumerate((8, 8, 9)):
        Image.new("RGB", (side, side)).save(tmp_path / f"val_class_0_{n}.png")

    with pytest.raises(ValueError, match="is of another size than"):
        galaxy.data.decoded(sorted(map(str, tmp_path.iterdir())), 2)


def test_an_identity_follows_names_and_sizes_of_pictures_and_settings(tmp_path):
    one, other = tmp_path / "one.jpg", tmp_path / "other.jpg"
    one.write_bytes(b"galaxy")
    other.write_bytes(b"galaxy")

    def identity(path: Path, seed: int = 1) -> str:
        return str(galaxy.data.identity_of({"train": [str(path)]}, seed=seed))

    before = identity(one)
    assert before == identity(one)
    assert len({before, identity(other), identity(one, seed=2)}) == 3
    one.write_bytes(b"another galaxy")
    assert identity(one) != before


def test_a_stamp_follows_the_bytes_of_a_file(tmp_path):
    path = tmp_path / "weights.pth"
    stamps = set()
    for content in (b"", b"one", b"two"):
        path.write_bytes(content)
        stamps.add(galaxy.data.stamp_of(path))

    assert len(stamps) == 3
    assert not galaxy.data.stamp_of(None)


def test_a_name_that_tells_no_class_is_refused():
    with pytest.raises(ValueError, match="tells no class"):
        galaxy.data.label_of("galaxy.jpg")
