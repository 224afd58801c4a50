"""What a service hands out, shows and counts depends on the level of a radius, and not on the radius above it."""

import csv
import json
import logging
import random
import re
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from equiproof.prover.opening import Opening
from equiproof.service.console.officers import Role
from equiproof.service.models import Files, add_model
from equiproof.service.tracing import REQUEST_ID
from equiproof.service.trail_reading import Form, Wanted, written
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
OF_THE_LINE = {"number", "about", "before", "hash"}


@pytest.fixture
def house(service, spans):
    """A service whose clock stands still, so that times are the same; it is measured, and so is its worker."""
    object.__setattr__(service.shared, "tracing", spans[0])
    made = House(service, HELD)
    made.measuring = Measuring(1, SimpleNamespace(working=0))
    made.spans = spans[1]
    yield made
    made.close()


def certify(house, decision, caplog):
    """Certify as a worker whose watch stands still, with the spans of a running one; return its lines."""
    said, shared = [], house.service.shared
    measures = shared.tracing
    work = Certifying(
        shared.database,
        shared.holders.vault,
        measures.wrapped("prove", prove, lambda order: measures.link(order.trace)),
        house.service.clock,
        said.append,
        monotonic=lambda: 0.0,
        measured=house.measuring.attempt,
    )
    with caplog.at_level(logging.INFO, "equiproof.service.worker"):
        measures.wrapped("certify", work)(decision)
    lines = [record.fields | {"request": ""} for record in caplog.records if record.message == "attempt"]
    caplog.clear()
    return said, lines


def numbers(house):
    """Return what a web process shows of all processes, but how long requests took, and when what counts was made."""
    house.measuring._numbers.keep(house.service.shared.database, house.at)
    samples = [
        sample
        for family in text_string_to_metric_families(house.service.get("/metrics").text)
        for sample in family.samples
        if not sample.name.endswith(("_created", "request_seconds_sum", "request_seconds_bucket"))
    ]
    return {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples}


def exported(house):
    """Return the lines of the trail's export in both forms, without what is of the line's place or the decision's."""
    with house.service.shared.database.reading() as session:
        lines, table = (written(session, Wanted(), form).decode().splitlines() for form in (Form.JSONL, Form.CSV))
    pairs = zip(map(json.loads, lines), csv.DictReader(table), strict=True)
    return [[{name: one[name] for name in one.keys() - OF_THE_LINE} for one in pair] for pair in pairs]


def measured(span):
    """Return what a span holds, without its times and ids."""
    attributes = {name: value for name, value in span.attributes.items() if name != REQUEST_ID}
    whole = json.loads(span.to_json())
    return span.name, attributes, whole["kind"], whole["status"], whole["events"], len(span.links), span.parent is None


def handed_out(house, row, opening, keys, caplog):
    """Return a real certificate, and what tells of its decision by a model to programs, applicants and the lender."""
    shared, path = house.service.shared, keys / f"{opening.commitment}.json"
    path.write_bytes(opening.secret())
    house.set(0)
    counted, traced, noted = numbers(house), len(house.spans.get_finished_spans()), len(exported(house))
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
    seen = {
        "trail": exported(house)[noted:],
        "spans": [measured(one) for one in house.spans.get_finished_spans()[traced:]],
        "numbers": {name: value - counted.get(name, 0) for name, value in numbers(house).items()},
    }
    # The proof is random, and the rest of what differs are digests, which `everything` leaves out.
    return certificate, [
        [(status, headers, text if isinstance(text, int) else PROOF.sub("", text)) for status, headers, text in shown],
        *others,
        GROUPS.sub("", alike(page.text)),
        told,
        seen,
    ]


@pytest.mark.slow
@SQLITE
def test_equal_levels_make_equal_answers(house, loans, tmp_path, caplog):
    """Of two models with other radii and one level, all that leaves is the same.

    So are console, lines, spans, numbers, and the export of the trail.
    """
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
    assert (seen[-2][0], len(seen[-2][1])) == ([], 1)
    assert seen[-1]["trail"]
    assert {"request", "prove", "certify"} <= {name for name, *_ in seen[-1]["spans"]}
    proofs = [value for (name, *_), value in seen[-1]["numbers"].items() if name == "equiproof_proof_seconds_count"]
    assert proofs == [1]
