"""Publish a certificate for ever: `python -m tests.vectors.generate.publish rates`.

Makes a key, proves, and writes tests/golden/NAME. What is there is never overwritten: a published certificate must
verify as long as the project exists, and its proving key is gone. A case of today's gets a new name.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from certify.search import Search
from circuits import field
from circuits.canonical import canonical_bytes
from prover import Opening, Prover
from tests.conftest import CAPACITY, CONTEXT, HIDDEN, LOANS_SEED, RATES_SEED
from tests.support import LOANS, RATES, Setting, key_for, network
from tests.vectors.vector import CERTIFICATE, COMMITMENT, GOLDEN, KEY, QUERY, VERIFYING
from tests.vectors.vector import CONTEXT as CONTEXT_FILE
from verifier.documents import KEY_FILE, VERIFYING_FILE

CASES = {"loans": (LOANS, HIDDEN, LOANS_SEED), "rates": (RATES, (2,), RATES_SEED)}
"""One logit and one sensitive feature; three logits and two sensitive features of six joint values."""


def publish(name: str) -> None:
    """Write the folder of a case."""
    folder = GOLDEN / name
    if folder.exists():
        raise SystemExit(f"{folder}: is published already; choose another name for a new case")
    spec, hidden, seed = CASES[name]
    with tempfile.TemporaryDirectory() as store:
        setting = Setting(
            Opening.of(network(spec, hidden, seed), spec, field.random()), key_for(Path(store), spec, hidden, CAPACITY)
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
