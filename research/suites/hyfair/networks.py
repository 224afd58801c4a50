"""The twenty networks as published, with their domains in raw units and their training data.

Three protected domains each. `published`: the values that the domains file gives the protected features, sex and race
of Adult (10 groups) and age of Bank (2). `enlarged`, this project's own: Adult with nine ages from 10 to 90, sex and
race (90 groups), Bank with age codes 1 to 9 (9 groups). The paper does not state its own; it has as many groups.
`wider`, if `enlarged` is too small: every declared age of Adult, 10 to 100 (910 groups), and age codes 0 to 9 of Bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from bench.fairify_networks import domains_in, folder_in
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Floats, Forward
from equiproof.audits.hyfair.grid import Grid, Integers, grid_of
from equiproof.audits.hyfair.margin import Margin, margin_of_floats
from equiproof.audits.hyfair.raw_specs import raw_spec
from equiproof.certify.data import load
from equiproof.certify.models.importing import Imported, bound_network, read_model
from equiproof.certify.models.importing.domains import Domain, parse_domain
from equiproof.certify.models.network import Network

Which = Literal["published", "enlarged", "wider"]

NETWORKS = [f"AC-{n}" for n in range(1, 13)] + [f"BM-{n}" for n in range(1, 9)]

DOMAINS: Mapping[str, str] = {"AC": "adult", "BM": "bank", "GC": "german"}

PROTECTED: Mapping[str, Mapping[Which, Mapping[str, tuple[int, ...] | None]]] = {
    "AC": {
        "published": {"sex": None, "race": None},
        "enlarged": {"age": tuple(range(10, 91, 10)), "sex": None, "race": None},
        "wider": {"age": None, "sex": None, "race": None},
    },
    "BM": {
        "published": {"age": None},
        "enlarged": {"age": tuple(range(1, 10))},
        "wider": {"age": tuple(range(10))},
    },
}


@dataclass(frozen=True, eq=False)
class Published:
    """A published network on one domain: the import, its exact margin, and the judge of its applicants."""

    imported: Imported
    grid: Grid
    judge: Judge

    def judge_of(self, network: Network) -> Judge:
        """Return the judge of another network on the same columns and domain."""
        return Judge(Forward(margin_of_floats(network, self.input_bits), self.grid))

    @property
    def input_bits(self) -> int:
        """f_x of the domain's spec."""
        return self.imported.spec.input_fraction_bits

    @property
    def margin(self) -> Margin:
        """The exact margin of the network as published."""
        return self.judge.forward.margin


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of the data: `columns` (n, n_x + n_s) in raw units, labels (n,), and which rows are kept for testing.

    `applicants` are the indices of the rows that lie on the domain's grid, shape (m, F).
    """

    columns: Floats
    labels: Integers
    test: Integers
    train: Integers
    applicants: Integers


def open_network(data_dir: Path | None, name: str, protected: Mapping[str, tuple[int, ...] | None]) -> Published:
    """Import a network under a protected domain; raises BenchError where it is missing."""
    folder = folder_in(data_dir)
    domain = read(folder, name)
    spec = raw_spec(DOMAINS[name[:2]], domain, sensitive=protected)
    imported = bound_network(read_model(folder / f"{name}.npz"), spec, columns=domain.order, units="raw")
    grid = grid_of(spec)
    margin = margin_of_floats(imported.network, spec.input_fraction_bits)
    return Published(imported, grid, Judge(Forward(margin, grid)))


def read(folder: Path, name: str) -> Domain:
    """Return the declared domain of a network."""
    path = domains_in(folder)
    return parse_domain(path.read_bytes(), str(path), DOMAINS[name[:2]])[1]


def rows_of(data_dir: Path, name: str, published: Published) -> Rows:
    """Return the data of a network coded as its domain declares; a fifth of the rows, drawn once, is for testing."""
    domain = read(folder_in(data_dir), name)
    raw, labels = (_adult if name.startswith("AC") else _bank)(data_dir, domain)
    spec, grid = published.imported.spec, published.grid
    order = [feature.name for feature in (*spec.plain_features, *spec.sensitive_features)]
    columns = np.stack([raw[feature] for feature in order], axis=1).astype(np.float64)
    shuffled = np.random.default_rng(0).permutation(len(labels))
    cut = len(labels) // 5
    places = []
    for f, feature in enumerate(grid.names):
        first = 0 if not grid.ordered[f] else int(grid.values[f][0])
        places.append(raw[feature] - first)
    indices = np.stack(places, axis=1)
    inside = ((indices >= 0) & (indices < grid.sizes)).all(axis=1)
    return Rows(columns, labels, shuffled[:cut], shuffled[cut:], indices[inside])


def _raw(data_dir: Path, domain: Domain, dataset: str, unknown: str) -> tuple[dict[str, Integers], Integers]:
    """Return the rows without unknown values as a domain's numbers, categories by code, and their labels."""
    data = load(dataset, data_dir)
    kept = [number for number, row in enumerate(data.rows) if unknown not in row.values()]
    raw = {}
    for feature in domain.order:
        values = [data.rows[number][feature] for number in kept]
        if feature in domain.codes:
            codes = domain.codes[feature]
            raw[feature] = np.array([codes.index(str(value)) for value in values], dtype=np.int64)
        else:
            raw[feature] = np.rint(np.array(values, dtype=np.float64)).astype(np.int64)
    return raw, data.label_array()[kept]


def _adult(data_dir: Path, domain: Domain) -> tuple[dict[str, Integers], Integers]:
    """Return Adult's rows, gains and losses in twenty bins of equal width."""
    raw, labels = _raw(data_dir, domain, "adult", "?")
    for feature in ("capital-gain", "capital-loss"):
        width = int(raw[feature].max()) / 20
        raw[feature] = np.minimum(19, (raw[feature] / width).astype(np.int64))
    return raw, labels


def _bank(data_dir: Path, domain: Domain) -> tuple[dict[str, Integers], Integers]:
    """Return Bank's rows, age as a code (1 from 25 years on), rates rounded."""
    raw, labels = _raw(data_dir, domain, "bank_additional", "unknown")
    raw["age"] = (raw["age"] >= 25).astype(np.int64)
    return raw, labels


def accuracy(network: Network, rows: Rows) -> float:
    """Return the share of test rows that a network decides by their label."""
    decided = network.decide(rows.columns[rows.test], 0.0)
    return float(np.mean(decided == rows.labels[rows.test]))
