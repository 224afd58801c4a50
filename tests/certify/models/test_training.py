import dataclasses

import msgspec
import numpy as np
import pytest

from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.network import Network, balanced_accuracy, judge
from equiproof.certify.models.training import DECAY_GRID, Settings, TrainingError, train, train_fair
from equiproof.certify.network import NetworkError

QUICK = Settings(epochs=60, restarts=2)


@pytest.fixture(scope="module")
def data():
    """Return the default data set."""
    return make_lending()


@pytest.fixture(scope="module")
def unfair(data):
    """Return a network without weight decay and its report."""
    return train(data, (4, 2), settings=QUICK)


def test_a_network_without_decay_learns_and_flips(unfair):
    """Trained on biased decisions, it decides well above chance and lets sex alone flip rows."""
    network, report = unfair
    assert network.hidden == (4, 2)
    assert report.balanced_accuracy[1] > 0.7
    assert report.flip_share > 0.06
    assert not report.constant


def test_one_seed_trains_one_network(data, unfair):
    """The same seed gives the same weights to the last bit, another seed others."""
    again, report = train(data, (4, 2), settings=QUICK)
    assert all(np.array_equal(a, b) for a, b in zip(again.weights, unfair[0].weights, strict=True))
    assert report == unfair[1]
    other, _ = train(data, (4, 2), settings=Settings(epochs=60, restarts=2, seed=1))
    assert not np.array_equal(other.weights[0], unfair[0].weights[0])


@pytest.mark.slow
def test_the_fair_variant_gives_up_two_points_at_most_and_flips_less(data, unfair):
    """The largest decay that cross-validation bears leaves a network that still decides, with fewer flips."""
    network, report, found = train_fair(data, (4, 2), settings=QUICK)
    assert found.chosen == report.decay == found.tried[-1][0]
    assert found.tried[-1][1] >= found.reference - 0.02
    assert all(constant or accuracy < found.reference - 0.02 for _, accuracy, constant in found.tried[:-1])
    assert [decay for decay, _, _ in found.tried] == list(DECAY_GRID[: len(found.tried)])
    assert not report.constant
    assert report.flip_share < unfair[1].flip_share
    assert f"{found.chosen:g}: " in found.summary()
    assert network.inputs == 13


@pytest.mark.parametrize("decay", [2.5, 10.0])
def test_the_decays_of_the_paper_leave_a_network_that_always_says_the_same(data, decay):
    """Such a network is flagged, since it is fair to all and of no use."""
    _, report = train(data, (4, 2), decay=decay, settings=QUICK)
    assert report.constant
    assert report.flip_share == 0
    assert report.balanced_accuracy == (0.5, 0.5)
    assert "trivially fair" in report.summary()


def test_several_logits_are_trained_by_cross_entropy(data):
    """With two logits the larger one decides, and the decisions are as good as with one."""
    several = dataclasses.replace(data, spec=msgspec.structs.replace(data.spec, logits=2))
    network, report = train(several, (3,), settings=QUICK)
    assert network.logit_count == 2
    assert report.balanced_accuracy[1] > 0.7


def test_progress_runs_to_the_end(data):
    """The callback counts up to the total, in a single training and in a search that ends early."""
    quick, calls = Settings(epochs=2, restarts=1), []
    train(data, (2,), settings=quick, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 2), (2, 2)]
    calls.clear()
    train_fair(data, (2,), settings=Settings(epochs=10, restarts=2), progress=lambda *call: calls.append(call))
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1]


def test_flips_and_constancy_are_counted_over_the_whole_table(data):
    """A network that looks at sex alone flips every row and is not constant; one that looks at nothing is."""
    sex = np.zeros((1, 13))
    sex[0, -1] = 1.0
    looks = Network((sex, np.ones((1, 1))), (np.zeros(1), np.full(1, -0.5)))
    report = judge(looks, data, seed=0, epochs=0, decay=0)
    assert (report.flip_share, report.constant) == (1.0, False)
    blind = Network((np.zeros((1, 13)), np.ones((1, 1))), (np.zeros(1), np.ones(1)))
    report = judge(blind, data, seed=0, epochs=0, decay=0)
    assert (report.flip_share, report.constant) == (0.0, True)
    assert report.accuracy[0] == pytest.approx(np.mean(data.label_array()[list(data.train)]))


def test_balanced_accuracy_weighs_the_labels_alike():
    """Three of four right for one label and none for the other is 3/8."""
    assert balanced_accuracy(np.array([1, 1, 1, 0, 1]), np.array([1, 1, 1, 1, 0])) == 3 / 8


def test_a_training_that_learns_nothing_has_no_fair_variant(data):
    """Where even decay 0 gives every row the same label, there is nothing to compare with."""
    with pytest.raises(TrainingError, match="even without weight decay it gives every row the same label"):
        train_fair(data, (2,), settings=Settings(epochs=1, restarts=1, learning_rate=1e-9, seed=3))


@pytest.mark.parametrize(("hidden", "decay"), [((), 0.0), ((4, 0), 0.0), ((2,), -1.0), ((2,), float("nan"))])
def test_refuses_sizes_and_decays_without_meaning(data, hidden, decay):
    """One line says what there is to choose from."""
    with pytest.raises(TrainingError, match=r"^hidden layers [^\n]*$"):
        train(data, hidden, decay=decay, settings=QUICK)


def test_a_diverging_training_is_refused(data):
    """Weights that are no numbers never leave the training."""
    with pytest.raises(TrainingError, match="diverges"):
        train(data, (2,), decay=1e6, settings=Settings(epochs=60, restarts=1))


def test_a_saved_network_reads_back(tmp_path, unfair):
    """Every bit of every weight survives the file."""
    network = unfair[0]
    (tmp_path / "model.npz").write_bytes(network.to_bytes())
    again = Network.load(tmp_path / "model.npz")
    arrays = zip((*network.weights, *network.biases), (*again.weights, *again.biases), strict=True)
    assert all(np.array_equal(a, b) for a, b in arrays)


def test_other_files_are_refused_by_name(tmp_path):
    """A missing file, text, foreign arrays, layers that do not fit and values that are no numbers: one line each."""
    path = tmp_path / "model.npz"
    with pytest.raises(NetworkError, match=r"model\.npz: No such file"):
        Network.load(path)
    for content in (b"", b"hello", b"PK\x03\x04" + bytes(40)):
        path.write_bytes(content)
        with pytest.raises(NetworkError, match=r"model\.npz: not a file of network weights"):
            Network.load(path)
    one, two = np.ones((2, 3)), np.ones((1, 2))
    for arrays in (
        {"W0": one, "b0": np.ones(2)},
        {"W0": one, "b0": np.ones(2), "W1": np.ones((1, 3)), "b1": np.ones(1)},
        {"W0": one, "b0": np.ones(2), "W1": two, "b1": np.full(1, np.nan)},
        {"W0": one, "b0": np.ones(2), "W1": two, "x": np.ones(1)},
        {"W0": np.array([["a"]]), "b0": np.ones(1), "W1": two, "b1": np.ones(1)},
        {"W0": np.array([[None]]), "b0": np.ones(1), "W1": two, "b1": np.ones(1)},
    ):
        np.savez(path, **arrays)
        with pytest.raises(NetworkError, match=r"^[^\n]*model\.npz: [^\n]*$"):
            Network.load(path)
