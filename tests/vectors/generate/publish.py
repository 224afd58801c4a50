"""Publish a certificate for ever: `python -m tests.vectors.generate.publish rates`.

Makes a key, proves, and writes tests/golden/NAME. What is there is never overwritten: a published certificate must
verify as long as the project exists, and its proving key is gone. A case of today's gets a new name.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from pathlib import Path

from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.shape import gain_shape, kept_shape, shape_of
from equiproof.circuits.spec import Spec
from equiproof.prover import KeyStore, Opening, Prover, StoredKey
from equiproof.prover.gain import GainProver, Sought
from equiproof.verifier.documents import KEY_FILE, LINK_KEY_FILE, VERIFYING_FILE, QueryDocument
from equiproof.verifier.link import LINK_FILE
from tests.conftest import CAPACITY, CONTEXT, HIDDEN, LOANS_SEED, RATES_SEED
from tests.support import LOANS, LOGARITHMS, RATES, Setting, applicant, changed, key_for, network
from tests.vectors.vector import CERTIFICATE, COMMITMENT, GAIN, GOLDEN, KEY, QUERY, VERIFYING
from tests.vectors.vector import CONTEXT as CONTEXT_FILE

CASES: dict[str, tuple[Spec, tuple[int, ...], int, Scheme, ProofSystem]] = {
    "loans": (LOANS, HIDDEN, LOANS_SEED, "traversal", "groth16-bn254"),
    "rates": (RATES, (2,), RATES_SEED, "traversal", "groth16-bn254"),
    "loans-branch": (LOANS, HIDDEN, LOANS_SEED, "branch", "groth16-bn254"),
    "wide": (changed(LOANS, weight_bits=(24, 20)), HIDDEN, LOANS_SEED, "branch", "groth16-bn254"),
    "loans-plonk": (LOANS, HIDDEN, LOANS_SEED, "traversal", "plonk-bn254"),
    "logarithms": (LOGARITHMS, HIDDEN, 5, "branch", "groth16-bn254"),
}
"""One logit and one sensitive feature; three logits and two sensitive features of six joint values; the first model
under scheme `branch`, with weights of two widths, and proven by PLONK; numbers by their logarithms, kept to ranges."""


GAINS: dict[str, tuple[Spec, tuple[int, ...], int, Sought]] = {
    "gain": (LOANS, HIDDEN, LOANS_SEED, Sought("declined", {"sex": "m"}, {"sex": "f"}, radius="0.5")),
    "gain-lower": (
        RATES,
        (2,),
        RATES_SEED,
        Sought("reduced", {"gender": "f", "age": "25"}, {"gender": "m", "age": "60"}, least_gain="-0.25"),
    ),
}
"""Gain certificates: one above 0, with one sensitive feature; one below it, with two and three logits."""


KEPT = "loans-kept"
"""The first model under scheme `branch` and a kept key: with its link and the key of links."""


def publish(name: str) -> None:
    """Write the folder of a case."""
    folder = GOLDEN / name
    if folder.exists():
        raise SystemExit(f"{folder}: is published already; choose another name for a new case")
    if name in GAINS:
        publish_gain(name, folder)
    elif name == KEPT:
        publish_kept(folder)
    else:
        publish_certificate(name, folder)


def publish_gain(name: str, folder: Path) -> None:
    """Write the folder of a gain certificate."""
    spec, hidden, seed, sought = GAINS[name]
    opening = Opening.of(network(spec, hidden, seed), spec, field.random())
    with tempfile.TemporaryDirectory() as store:
        key = KeyStore(Path(store)).setup(gain_shape(spec, hidden, CAPACITY))
        with GainProver(opening, key) as prover:
            proven = prover.prove(applicant(spec, random.Random(2)), sought, CONTEXT)
        write(folder, key, opening, proven.query)
    (folder / GAIN).write_bytes(proven.certificate.to_bytes())


def publish_certificate(name: str, folder: Path) -> None:
    """Write the folder of a certificate."""
    spec, hidden, seed, scheme, proof_system = CASES[name]
    with tempfile.TemporaryDirectory() as store:
        setting = Setting(
            Opening.of(network(spec, hidden, seed), spec, field.random()),
            key_for(Path(store), spec, hidden, CAPACITY, scheme, proof_system),
        )
        row = next(
            row for row, found in setting.applicants(seed=2) if isinstance(found, Search) and far(setting, found)
        )
        with Prover(setting.opening, setting.key) as prover:
            proven = prover.prove(row, CONTEXT)
        write(folder, setting.key, setting.opening, proven.query)
    (folder / CERTIFICATE).write_bytes(proven.certificate.to_bytes())


def publish_kept(folder: Path) -> None:
    """Write the folder of a certificate under a kept key, with its link."""
    spec, hidden, seed, scheme, _ = CASES["loans-branch"]
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as links:
        key = KeyStore(Path(store)).setup(kept_shape(shape_of(scheme, spec, hidden, CAPACITY)))
        setting = Setting(Opening.of(network(spec, hidden, seed), spec, field.random()), key)
        row = next(row for row, found in setting.applicants(seed=2) if not isinstance(found, Counterexample))
        with Prover(setting.opening, key, Path(links)) as prover:
            proven = prover.prove(row, CONTEXT)
            link = prover.link
        assert link is not None
        write(folder, key, setting.opening, proven.query)
        (folder / LINK_FILE).write_bytes(link.document.to_bytes())
        (to := folder / "keys" / "link").mkdir()
        for name in (LINK_KEY_FILE, VERIFYING_FILE):
            shutil.copy(link.link_key.folder / name, to / name)
    (folder / CERTIFICATE).write_bytes(proven.certificate.to_bytes())


def write(folder: Path, key: StoredKey, opening: Opening, query: QueryDocument) -> None:
    """Write the files beside a certificate: the public ones of its key, the commitment, the query and the context."""
    (folder / KEY).parent.mkdir(parents=True)
    shutil.copy(key.folder / KEY_FILE, folder / KEY)
    shutil.copy(key.folder / VERIFYING_FILE, folder / VERIFYING)
    (folder / COMMITMENT).write_bytes(opening.public())
    (folder / QUERY).write_bytes(canonical_bytes(query))
    (folder / CONTEXT_FILE).write_bytes(canonical_bytes(CONTEXT))


def far(setting: Setting, found: Search) -> bool:
    """Say whether a search went further than the slices' centres and ended in a radius of some size."""
    scale = setting.spec.scale_unit
    return len(found.regions) > len(setting.spec.domain_table) and found.radius_for(CAPACITY) > (scale // 4) ** 2


if __name__ == "__main__":
    publish(sys.argv[1])
