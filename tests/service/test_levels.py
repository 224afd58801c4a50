"""What a service hands out depends on the level of a radius, and not on the radius above it."""

import random
import re

import pytest

from equiproof.prover.opening import Opening
from equiproof.service.models import Files, add_model
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from tests.prover.test_levels import moved, of_equal_level
from tests.service.test_leaving import EVERY, HELD, House
from tests.support import LOANS, changed, copied_key

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
SPEC = changed(LOANS, levels=("0.02",))
PROOF = re.compile(r'"proof": ?"[^"]*"')


@pytest.fixture
def house(service):
    """A service whose clock stands still, so that times are the same."""
    made = House(service, HELD)
    yield made
    made.close()


def handed_out(house, row, opening, keys):
    """Return a real certificate, and all that programs and applicants can fetch of its decision by a model."""
    shared, path = house.service.shared, keys / f"{opening.commitment}.json"
    path.write_bytes(opening.secret())
    house.set(0)
    with shared.database.transaction() as session:
        add_model(session, "loans", Files(path, keys), house.at)
    decision = house.apply(row)
    Certifying(shared.database, shared.holders.vault, prove, house.service.clock)(decision)
    ready.cache_clear()
    house.set(EVERY)
    certificate = house.get(decision, "/certificate").json()
    shown, *others = house.everything(decision)
    # The proof is random, and the rest of what differs are digests, which `everything` leaves out.
    return certificate, [
        [(status, headers, text if isinstance(text, int) else PROOF.sub("", text)) for status, headers, text in shown],
        *others,
    ]


@pytest.mark.slow
@SQLITE
def test_equal_levels_make_equal_answers(house, loans, tmp_path):
    """Of two models with other radii and one level, answers, papers, pages, lists and webhooks are the same."""
    models = loans.opening.network, moved(loans.opening.network)
    row = of_equal_level(loans, SPEC, *models, random.Random(2))
    copied_key(tmp_path / "keys", loans.shape)
    (first, seen), (second, also) = (
        handed_out(house, row, Opening.of(model, SPEC, 5), tmp_path / "keys") for model in models
    )
    assert first["statement"]["radius_squared"] == second["statement"]["radius_squared"] > 0
    assert first["statement"]["model_commitment"] != second["statement"]["model_commitment"]
    assert seen == also
    assert {status for status, _, _ in seen[0]} == {200}
