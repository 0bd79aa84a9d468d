"""A network computes what its layers say, in Torch, in floats and in 8 bits; files that are not whole are refused."""

import json

import numpy as np
import pytest

from cuebid import Hand
from cuebid.networks import Architecture, Network, WeightsError, read, weights, write
from cuebid.networks.architecture import hand_counts

ARCHITECTURES = [
    Architecture(width=64, depth=3),
    Architecture(width=64, depth=3, hand_features=True),
    Architecture(width=200, depth=5, kind="residual", activation="relu"),
    Architecture(width=48, depth=3, kind="residual", hand_features=True),
    Architecture(inputs=636, outputs=1, width=32, depth=2),
]


def random_arrays(architecture, seed=0):
    rng = np.random.default_rng(seed)
    arrays = {"ranges": np.full(len(architecture.layers), 6.0, dtype=np.float16)}
    for number, (inputs, outputs) in enumerate(architecture.layers):
        weight = rng.normal(size=(inputs, outputs)) * np.sqrt(2 / inputs)
        arrays[f"layers.{number}.weight"] = weight.astype(np.float16)
        arrays[f"layers.{number}.bias"] = (0.1 * rng.normal(size=outputs)).astype(np.float16)
    return arrays


def random_bits(rows, inputs=480, seed=1):
    return (np.random.default_rng(seed).random((rows, inputs)) < 0.1).astype(np.uint8)


def card(architecture):
    return weights.Card("test", "a test", architecture, "")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_torch_and_onnx_agree(architecture):
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from cuebid.learn.networks import Layers

    arrays, bits = random_arrays(architecture), random_bits(500, architecture.inputs)
    layers = Layers(architecture)
    layers.take(arrays)
    expected = layers(torch.from_numpy(bits).float()).detach().numpy()
    assert np.abs(Network(arrays, card(architecture), "fp32")(bits) - expected).max() < 1e-4
    back = layers.arrays()
    assert all((back[name] == arrays[name].astype(np.float32)).all() for name in back)


@pytest.mark.parametrize("architecture", ARCHITECTURES[:4])
def test_8_bits_stay_close_and_do_not_depend_on_the_batch(architecture):
    arrays, bits = random_arrays(architecture), random_bits(300)
    exact = Network(arrays, card(architecture), "fp32")(bits)
    network = Network(arrays, card(architecture), "int8")
    whole = network(bits)
    assert np.abs(whole - exact).max() < 0.1 * np.abs(exact).max()
    assert (network(bits, batch=7) == whole).all()
    assert (np.concatenate([network(bits[row : row + 1]) for row in range(20)]) == whole[:20]).all()


def test_hand_features_count_what_they_say():
    weight, bias = hand_counts()
    bits = np.zeros(480, dtype=np.float32)
    for card_held in Hand("AKQ2.JT9.876.543"):
        bits[428 + 4 * card_held.rank + card_held.suit] = 1
    features = np.clip(bits @ weight + bias, 0, 1)
    assert set(features.tolist()) == {0.0, 1.0}
    # Spades come last of the suits: 8 features of length, 10 of points, 3 and 5 of honours, 9 of leads over others.
    spades = features[3 * 35 : 4 * 35]
    assert spades[:8].tolist() == [1] * 4 + [0] * 4, "four spades"
    assert spades[8:18].sum() == 9, "nine points in spades"
    assert spades[18:21].sum() == 3, "ace, king and queen"
    assert spades[26:].tolist() == [1, 0, 0] * 3, "one longer than each other suit"
    points = features[4 * 35 : 4 * 35 + 30]
    assert points.sum() == 10


def test_a_file_must_match_its_card(tmp_path):
    path = tmp_path / "net.npz"
    architecture = ARCHITECTURES[0]
    told = {"name": "net", "purpose": "a test", "architecture": architecture, "play": "int8"}
    made = write(path, random_arrays(architecture), told)
    arrays, found = read(path)
    assert found == made
    assert arrays["layers.0.weight"].dtype == np.float16
    assert Network.load(path).form == "int8"

    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(WeightsError, match=r"net\.npz is not the network of its card"):
        read(path)
    path.write_bytes(good)
    beside = path.with_suffix(".json")
    said = json.loads(beside.read_text())
    beside.write_text(json.dumps(said | {"architecture": said["architecture"] | {"width": 65}}))
    with pytest.raises(WeightsError, match="does not have the shape"):
        read(path)
    beside.write_text("{}")
    with pytest.raises(WeightsError, match="no card of a network"):
        read(path)
    beside.unlink()
    with pytest.raises(WeightsError, match="has no card"):
        read(path)
