"""The 25 networks of the Fairify benchmark import with the domains declared beside them."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from certify.importing import import_model
from certify.importing.domains import domain_spec, parse_domain
from certify.quantise import measure_rows
from tests.certify.importing.samples import forward

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
    report = measure_rows(imported.network, imported.quantised, spec, rows, name)
    print(json.dumps({"network": name, "differing": report.differing, "ties": report.ties, "gap": report.largest_gap}))
    near = np.abs(wanted[:, 0]) <= report.largest_gap
    assert report.differing <= near.sum()
    assert report.differing <= POINTS // 20
