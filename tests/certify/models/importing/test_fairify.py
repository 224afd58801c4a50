"""The 25 networks of the Fairify benchmark import with the domains declared beside them."""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bench.fairify_rows import fairify_rows
from equiproof import import_model
from equiproof.certify.models.fidelity import MAX_LOSS, agreement, weight_loss
from equiproof.certify.models.importing.domains import domain_spec, parse_domain
from tests.certify.models.importing.samples import forward

FOLDER = Path(os.environ.get("EQUIPROOF_DATA", "")) / "fairify_nets"
DOMAINS = {"AC": ("adult", "sex"), "BM": ("bank", "age"), "GC": ("german", "age")}
NAMES = [
    *(f"AC-{number}" for number in range(1, 13)),
    *(f"BM-{number}" for number in range(1, 9)),
    *(f"GC-{number}" for number in range(1, 6)),
]
POINTS = 200
"""Points a network, drawn evenly from its domain: far more spread out than any applicants."""


def sample(spec, order, seed):
    """Draw raw rows, as values for the spec and as numbers in the network's order."""
    rng = np.random.default_rng(seed)
    rows, numbers = [], []
    features = {feature.name: feature for feature in spec.features}
    for _ in range(POINTS):
        row, taken = {}, []
        for name in order:
            feature = features[name]
            low, high = map(int, feature.range) if feature.range else (0, len(feature.domain) - 1)
            drawn = int(rng.integers(low, high + 1))
            row[name] = feature.domain[drawn] if feature.domain else drawn
            taken.append(int(row[name]) if feature.kind == "numeric" else drawn)
        rows.append(row)
        numbers.append(taken)
    return rows, np.array(numbers, dtype=np.float64)


@pytest.mark.shared
@pytest.mark.skipif("EQUIPROOF_DATA" not in os.environ, reason="EQUIPROOF_DATA is not set")
@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_the_benchmark_decides_as_its_arrays_do(name):
    """In floats the imported network is x @ W + b on raw rows; in integers it decides likewise but for near ties."""
    which, sensitive = DOMAINS[name[:2]]
    data = (FOLDER / "input_domains.json").read_bytes()
    _, domain = parse_domain(data, "input_domains.json", which)
    spec = domain_spec(which, domain, labels=("negative", "positive"), sensitive=(sensitive,))
    path = FOLDER / f"{name}.npz"
    imported = import_model(path, spec, units="raw", columns=domain.order)
    rows, numbers = sample(spec, domain.order, seed=NAMES.index(name))
    with np.load(path) as arrays:
        wanted = forward(dict(arrays), numbers)
    scales = np.array([float(feature.scale) for feature in (*spec.plain_features, *spec.sensitive_features)])
    place = [domain.order.index(feature.name) for feature in (*spec.plain_features, *spec.sensitive_features)]
    np.testing.assert_allclose(
        imported.network.logits(numbers[:, place] / scales), wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max()
    )
    report = agreement(imported.network, imported.quantised, spec, rows, name)
    print(json.dumps({"network": name, "differing": report.differing, "ties": report.ties, "gap": report.largest_gap}))
    near = np.abs(wanted[:, 0]) <= report.largest_gap
    assert report.differing <= near.sum()
    assert report.differing <= POINTS // 20


PROTECTED = {
    "AC": ("adult", "Adult", ("sex", "race")),
    "BM": ("bank", "Bank", ("age",)),
    "GC": ("german", "German", ("sex", "age")),
}
COUNTS = {"adult": 45_222, "bank": 30_488, "german": 1_000}
QUICK = ("GC-4",)


@cache
def every_row(which):
    """Return all rows of a data set as the networks take them."""
    return fairify_rows(which, FOLDER.parent)[0]


@pytest.mark.shared
@pytest.mark.skipif("EQUIPROOF_DATA" not in os.environ, reason="EQUIPROOF_DATA is not set")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_what_is_committed_flips_as_what_was_published(name):
    """Weights of layer 1 are precise, sensitive columns keep theirs, flips of all rows agree but for 3 a count."""
    declared, data, protected = PROTECTED[name[:2]]
    source = (FOLDER / "input_domains.json").read_bytes()
    _, domain = parse_domain(source, "input_domains.json", declared)
    rows = every_row(data)
    assert len(rows) == COUNTS[declared]
    for sensitive in protected:
        spec = domain_spec(declared, domain, labels=("negative", "positive"), sensitive=(sensitive,))
        found = import_model(FOLDER / f"{name}.npz", spec, units="raw", columns=domain.order, widen=True)
        weights, fraction = found.network.weights[0], 2.0 ** found.quantised.weight_fraction_bits[0]
        lost = np.abs(weights - np.array(found.quantised.layers[0].weights) / fraction)
        norms = np.linalg.norm(weights, axis=1, keepdims=True)
        assert np.all(lost <= np.maximum(2.0**-10 * np.abs(weights), 2.0**-12 * norms))
        assert max(weight_loss(found.network, found.quantised, found.spec).values()) < MAX_LOSS / 2
        report = agreement(found.network, found.quantised, found.spec, rows, name)
        print(json.dumps({"network": name, "sensitive": sensitive, "flips": report.flips, "lost": report.flips_lost}))
        assert abs(report.flips[0] - report.flips[1]) <= 3
        assert report.flips_lost + report.flips_gained <= 3
