"""The 25 published networks of Fairify with their declared domains, and random applicants of them.

The folder `fairify_nets` of the data holds them (`AC-1.npz` and so on) with `input_domains.json`; they are imported as
by `equiproof import --domains`.
"""

from __future__ import annotations

import random
from pathlib import Path

from bench.harness import BenchError
from equiproof.certify.models.importing import Imported, bound_network, read_model
from equiproof.certify.models.importing.domains import read_domain
from equiproof.circuits.spec import Spec

NETWORKS = [f"AC-{n}" for n in range(1, 13)] + [f"BM-{n}" for n in range(1, 9)] + [f"GC-{n}" for n in range(1, 6)]
LABELS = ("negative", "positive")
_DOMAINS = {"AC": ("adult", "sex"), "BM": ("bank", "age"), "GC": ("german", "sex")}


def folder_in(data_dir: Path | None) -> Path:
    """Return the folder of the networks; raises BenchError where it is missing."""
    folder = (data_dir or Path()) / "fairify_nets"
    if not domains_in(folder).is_file():
        raise BenchError(f"{folder}: want the networks of Fairify and their input_domains.json here (--data-dir)")
    return folder


def domains_in(folder: Path) -> Path:
    """Return the file of the declared domains."""
    return folder / "input_domains.json"


def load(folder: Path, name: str) -> Imported:
    """Import a network with its domain and one sensitive feature: sex, or the age group on Bank."""
    domain_name, sensitive = _DOMAINS[name[:2]]
    path = domains_in(folder)
    spec, domain = read_domain(path.read_bytes(), str(path), domain_name, labels=LABELS, sensitive=(sensitive,))
    return bound_network(read_model(folder / f"{name}.npz"), spec, columns=domain.order, units="raw", widen=True)


def draw(spec: Spec, rng: random.Random) -> tuple[int, ...]:
    """Return a random applicant of the spec's ranges and categories as a query."""
    row: dict[str, int | str] = {}
    for feature in spec.plain_features:
        if feature.range is None:
            row[feature.name] = rng.choice(feature.domain)
        else:
            row[feature.name] = rng.randint(*map(int, feature.range))
    return spec.encode(row)
