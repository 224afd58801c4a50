"""Publish a certificate for ever: `python -m tests.vectors.generate.publish rates`.

Makes a key, proves, and writes tests/golden/NAME. What is there is never overwritten: a published certificate must
verify as long as the project exists, and its proving key is gone. A case of today's gets a new name.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from equiproof.certify.traversal.search import Search
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.spec import Spec
from equiproof.prover import Opening, Prover
from equiproof.verifier.documents import KEY_FILE, VERIFYING_FILE
from tests.conftest import CAPACITY, CONTEXT, HIDDEN, LOANS_SEED, RATES_SEED
from tests.support import LOANS, RATES, Setting, changed, key_for, network
from tests.vectors.vector import CERTIFICATE, COMMITMENT, GOLDEN, KEY, QUERY, VERIFYING
from tests.vectors.vector import CONTEXT as CONTEXT_FILE

CASES: dict[str, tuple[Spec, tuple[int, ...], int, Scheme, ProofSystem]] = {
    "loans": (LOANS, HIDDEN, LOANS_SEED, "traversal", "groth16-bn254"),
    "rates": (RATES, (2,), RATES_SEED, "traversal", "groth16-bn254"),
    "loans-branch": (LOANS, HIDDEN, LOANS_SEED, "branch", "groth16-bn254"),
    "wide": (changed(LOANS, weight_bits=(24, 20)), HIDDEN, LOANS_SEED, "branch", "groth16-bn254"),
    "loans-plonk": (LOANS, HIDDEN, LOANS_SEED, "traversal", "plonk-bn254"),
}
"""One logit and one sensitive feature; three logits and two sensitive features of six joint values; the first model
under scheme `branch`, with weights of two widths, and proven by PLONK."""


def publish(name: str) -> None:
    """Write the folder of a case."""
    folder = GOLDEN / name
    if folder.exists():
        raise SystemExit(f"{folder}: is published already; choose another name for a new case")
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
        (folder / KEY).parent.mkdir(parents=True)
        shutil.copy(setting.key.folder / KEY_FILE, folder / KEY)
        shutil.copy(setting.key.folder / VERIFYING_FILE, folder / VERIFYING)
    (folder / COMMITMENT).write_bytes(setting.opening.public())
    (folder / QUERY).write_bytes(canonical_bytes(proven.query))
    (folder / CERTIFICATE).write_bytes(proven.certificate.to_bytes())
    (folder / CONTEXT_FILE).write_bytes(canonical_bytes(CONTEXT))


def far(setting: Setting, found: Search) -> bool:
    """Say whether a search went further than the slices' centres and ended in a radius of some size."""
    scale = setting.spec.scale_unit
    return len(found.regions) > len(setting.spec.domain_table) and found.radius_for(CAPACITY) > (scale // 4) ** 2


if __name__ == "__main__":
    publish(sys.argv[1])
