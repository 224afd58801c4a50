"""What leaves has the fields that are listed here, none of the lender's own figures; a new one is thought about."""

import io
import json
import zipfile

import pytest

from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Outgoing
from equiproof.verifier.entries import certificate_entry
from tests.service import made
from tests.service.test_correcting import send
from tests.service.test_decisions import everything
from tests.service.test_leaving import opened

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

PUBLIC = {"spec", "features", "shape", "tools"}
"""What is public by design, or the applicant's own, and so is looked into no further."""

DECISION = "id model reference state label override outcome received receipt history at reason name"
FILES = "format version files name role sha256"
RECEIPT = "format version label time salt model_commitment query_commitment context_digest"
KEY = "format version shape setup proof_system system_digest constraints verifying_key proving_key tools"
CERTIFICATE = (
    "format version statement model_commitment query_commitment context_digest spec_digest domain_digest label "
    "radius_squared reading at_least features radius radius_any sensitive key fingerprint setup proof "
    "proof_system query tools"
)
BUNDLE = {
    "manifest.json": FILES,
    "certificate.json": CERTIFICATE,
    "commitment.json": "format version spec model_commitment",
    "key/metadata.json": KEY,
    "query.json": "format version blinding features",
    "context.json": "nonce date",
    "receipt.json": RECEIPT,
}
ALLOWED = {
    "decision": DECISION,
    "list": f"{DECISION} decisions next",
    "corrections": "corrections decision second asked changed way filed closed name at",
    "link": "url expires",
    "models": "models name commitment since entry labels sensitive spec links",
    "page": "standing label lender contact received receipt log",
    "webhook": "client decision number state at override correction second",
    "entry of a receipt": "format version kind receipt",
    "entry of a certificate": "format version kind certificate",
    "receipt": RECEIPT,
    "certificate": CERTIFICATE,
    **{f"bundle/{name}": names for name, names in BUNDLE.items()},
    "package/package.json": f"{FILES} decision made keep_until letters en model_card corrections "
    "place other other_receipt asked request changed recorded",
    "package/policy.json": "format version requires query context",
    **{f"package/certificate.equiproof/{name}": names for name, names in BUNDLE.items()},
    "problem": "type title status detail",
}
"""What leaves -> the names of its fields, at any depth."""


def test_what_leaves_has_these_fields_alone(service, rows, monkeypatch):
    """Neither exact radii beside the certificate's, nor leaves, flips, gains, seconds, or counterexamples."""
    with opened(service, PolicySettings(), monkeypatch) as house:
        certified, review = (house.apply(row) for row in rows)
        made.end(house.service, certified, State.CERTIFIED)
        house.override(review)
        asked = {"asked": "2026-09-21", "request": "so", "name": "B. Weber"}
        assert send(house.service, certified, **asked).status_code == 201
        assert send(house.service, certified, "/second", second=review, name="B. Weber").status_code == 201
        house.messages(certified)
        link = f"/v1/decisions/{certified}/links"
        (certificate,) = everything(house.service, Certificate)
        found = [
            *(("decision", house.get(one).json()) for one in (certified, review)),
            ("list", house.service.get("/v1/decisions").json()),
            ("corrections", house.get(certified, "/corrections").json()),
            ("link", house.service.client.post(link, headers=house.service.headers).json()),
            ("models", house.service.get("/v1/models").json()),
            *(("page", house.asked(one, "standing").json()) for one in (certified, review)),
            *(("webhook", json.loads(body)) for _, _, body in house.told),
            *(
                ("entry of a receipt", json.loads(row.body))
                for row in everything(house.service, Outgoing)
                if row.kind == "receipt"
            ),
            ("entry of a certificate", json.loads(certificate_entry(certificate.body).data)),
            *((paper, house.get(certified, f"/{paper}").json()) for paper in ("receipt", "certificate")),
            *members("bundle", house.get(certified, "/bundle").content),
            *members("package", house.get(certified, "/package").content),
            *(("problem", house.get(review, f"/{paper}").json()) for paper in ("certificate", "bundle", "package")),
        ]
    named = {what: set() for what, _ in found}
    for what, document in found:
        named[what] |= fields(document)
    beyond = {what: more for what, names in named.items() if (more := names - set(ALLOWED[what].split()))}
    assert not beyond
    assert named.keys() == ALLOWED.keys()


def fields(node):
    """Return the names of all fields of a document, but for those within what is public."""
    if isinstance(node, list):
        return set().union(*map(fields, node))
    if not isinstance(node, dict):
        return set()
    return set(node).union(*(fields(value) for name, value in node.items() if name not in PUBLIC))


def members(where, data):
    """Return the documents of a file of files, with their places; keys and pages are no documents."""
    with zipfile.ZipFile(io.BytesIO(data)) as whole:
        for name in whole.namelist():
            content = whole.read(name)
            if name.endswith(".equiproof"):
                yield from members(f"{where}/{name}", content)
            elif name.endswith(".json"):
                yield f"{where}/{name}", json.loads(content)
