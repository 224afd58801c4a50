"""Models of three or more labels: the lead of one label over the strongest other is a network of its own, exactly."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest

from equiproof.audits.brief import brief
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.hyfair.margin import margin_of, margin_of_floats
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.certify.models.network import Network
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.spec import checked
from tests.audits.hyfair.small import SPEC

QUICK = {
    "search_seconds": "0.1", "solver_seconds": "1", "ceiling_seconds": "0.2", "branch_seconds": "5", "samples": "100",
}  # fmt: skip


def made(logits, seed=0, hidden=(3,)):
    """Return a random network of SPEC's columns with this many logits."""
    rng = np.random.default_rng(seed)
    sizes = (SPEC.plain_columns + SPEC.sensitive_columns, *hidden, logits)
    layers = [
        Layer(
            tuple(map(tuple, rng.integers(-12, 13, size=(outputs, inputs)).tolist())),
            tuple(rng.integers(-300, 301, size=outputs).tolist()),
        )
        for inputs, outputs in pairwise(sizes)
    ]
    return QuantisedNetwork(tuple(layers), SPEC.input_fraction_bits, (4,) * len(layers))


@pytest.mark.parametrize("logits", [2, 3, 4, 5, 6, 9])
def test_the_margin_is_the_lead_over_the_strongest_other(logits):
    """Of every label at random points, in integers; of the float network the same."""
    network, rng = made(logits, logits), np.random.default_rng(1)
    floats = Network(
        tuple(np.array(layer.weights) / 16 for layer in network.layers),
        tuple(np.array(layer.biases) / 2.0 ** (4 + 4 * n) for n, layer in enumerate(network.layers, start=1)),
    )
    for label in range(logits) if logits > 2 else (1,):
        margin = margin_of(network, label)
        for _ in range(40):
            point = rng.integers(-100, 101, size=network.inputs).tolist()
            found = network.logits(point)
            lead = found[label] - max(logit for other, logit in enumerate(found) if other != label)
            assert margin(point) * margin.unit == lead
            assert (margin(point) > 0) == (network.decide(point) == label)
            assert margin_of_floats(floats, SPEC.input_fraction_bits, label)(point) == margin(point)


@pytest.mark.parametrize(("logits", "label"), [(1, 0), (2, 0), (3, 3), (3, -1)])
def test_a_label_without_a_score_is_refused(logits, label):
    """Of one or two logits there is one score; of more, labels are numbered from 0."""
    with pytest.raises(NetworkError, match=f"{logits} logits: label {label} has no score"):
        margin_of(made(logits), label)


def spec_of(labels):
    """Return the small spec with other labels."""
    return checked(msgspec.structs.replace(SPEC, labels=labels, logits=len(labels)))


def test_a_model_of_three_labels_is_audited():
    """The last label by default, or the one of the option; flips are to or from it, and replay."""
    network, spec = made(3, 5), spec_of(("no", "ask", "yes"))
    for option, label in (({}, "yes"), ({"label": "ask"}, "ask")):
        context = AuditContext(network=network, spec=spec, commitment="00", options={**QUICK, **option})
        report = DiscriminationClusters().run(context)
        assert any(note.startswith(f"scores are those of label {label!r}") for note in report.notes)
        flips = next(finding for finding in report if finding.subject == f"label flips to or from {label}")
        assert flips.verdict == "unfair"
        flips.counterexample.replay(network, spec)
        decided = [case.label == label for case in flips.counterexample.cases]
        assert any(decided)
        assert not all(decided)
        assert f"a change to or from {label}" in brief(report).answer
        fair = tuple(msgspec.structs.replace(one, verdict="fair", counterexample=None) for one in report.findings)
        # The other two labels may still give way to each other: nobody has "the same label" for it.
        assert brief(msgspec.structs.replace(report, verdict="fair", findings=fair)).answer == (
            f"In the whole domain there is no change to or from {label}, and scores are no more than 0.05 apart."
        )


def test_options_for_labels_are_refused_where_they_mean_nothing():
    """An unknown label, and any label of a model with two."""
    for network, spec, message in (
        (made(3), spec_of(("no", "ask", "yes")), "'never': there are no, ask, yes"),
        (made(1), SPEC, "'never': is for three or more labels"),
    ):
        context = AuditContext(network=network, spec=spec, commitment="00", options={**QUICK, "label": "never"})
        with pytest.raises(AuditError, match=f"option label: {message}"):
            DiscriminationClusters().run(context)
