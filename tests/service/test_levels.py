"""What a service hands out, shows and counts depends on the level of a radius, and not on the radius above it."""

import logging
import random
import re
from types import SimpleNamespace

import pytest

from equiproof.prover.opening import Opening
from equiproof.service.console.officers import Role
from equiproof.service.models import Files, add_model
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.service.worker.measuring import Measuring
from tests.prover.test_levels import moved, of_equal_level
from tests.service.console.people import sign_in
from tests.service.test_leaving import EVERY, HELD, House, alike
from tests.support import LOANS, changed, copied_key

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
SPEC = changed(LOANS, levels=("0.02",))
GROUPS = re.compile("[0-9a-f]{4}( [0-9a-f]{4})+")
PROOF = re.compile(r'"proof": ?"[^"]*"')


@pytest.fixture
def house(service):
    """A service whose clock stands still, so that times are the same."""
    made = House(service, HELD)
    yield made
    made.close()


def certify(house, decision, caplog):
    """Certify as a worker whose watch stands still; return its lines, and what it counts of the attempt."""
    said, measuring = [], Measuring(1, SimpleNamespace(working=0))
    shared = house.service.shared
    with caplog.at_level(logging.INFO, "equiproof.service.worker"):
        Certifying(
            shared.database,
            shared.holders.vault,
            prove,
            house.service.clock,
            said.append,
            monotonic=lambda: 0.0,
            measured=measuring.attempt,
        )(decision)
    lines = [record.fields | {"request": ""} for record in caplog.records if record.message == "attempt"]
    caplog.clear()
    counted = [line for line in measuring._numbers.text([]).decode().splitlines() if line.startswith("equiproof_proof")]
    return said, lines, [line for line in counted if "_created" not in line]


def handed_out(house, row, opening, keys, caplog):
    """Return a real certificate, and what tells of its decision by a model to programs, applicants and the lender."""
    shared, path = house.service.shared, keys / f"{opening.commitment}.json"
    path.write_bytes(opening.secret())
    house.set(0)
    with shared.database.transaction() as session:
        add_model(session, "loans", Files(path, keys), house.at)
    decision = house.apply(row)
    told = certify(house, decision, caplog)
    ready.cache_clear()
    house.set(EVERY)
    page = sign_in(house.service, Role.OFFICER).get(f"decisions/{decision}")
    assert page.status_code == 200
    certificate = house.get(decision, "/certificate").json()
    shown, *others = house.everything(decision)
    # The proof is random, and the rest of what differs are digests, which `everything` leaves out.
    return certificate, [
        [(status, headers, text if isinstance(text, int) else PROOF.sub("", text)) for status, headers, text in shown],
        *others,
        GROUPS.sub("", alike(page.text)),
        told,
    ]


@pytest.mark.slow
@SQLITE
def test_equal_levels_make_equal_answers(house, loans, tmp_path, caplog):
    """Of two models with other radii and one level, all that leaves is the same, and console, lines and numbers too."""
    models = loans.opening.network, moved(loans.opening.network)
    row = of_equal_level(loans, SPEC, *models, random.Random(2))
    copied_key(tmp_path / "keys", loans.shape)
    (first, seen), (second, also) = (
        handed_out(house, row, Opening.of(model, SPEC, 5), tmp_path / "keys", caplog) for model in models
    )
    assert first["statement"]["radius_squared"] == second["statement"]["radius_squared"] > 0
    assert first["statement"]["model_commitment"] != second["statement"]["model_commitment"]
    assert seen == also
    assert {status for status, _, _ in seen[0]} == {200}
    assert (seen[-1][0], len(seen[-1][1])) == ([], 1)
    assert seen[-1][2]
