"""The documented formats are those of the types. Run this file to write the schema anew after a deliberate change."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from equiproof.circuits import exit_codes
from equiproof.circuits.allowed import Wish
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import Architecture, Shape
from equiproof.circuits.spec import Feature, Spec, SpokenFeature, SpokenSpec
from equiproof.circuits.subcircuit import SubCircuit
from equiproof.prover.ceremony.documents import (
    BeaconDocument,
    CeremonyDocument,
    KeyTarget,
    PowersDocument,
)
from equiproof.prover.ceremony.steps import StepHeader
from equiproof.prover.many.manifest import Entry as RunEntry
from equiproof.prover.many.manifest import Header as RunHeader
from equiproof.prover.opening import LayerDocument, OpeningDocument
from equiproof.prover.owner import Mark
from equiproof.prover.scored_opening import NodesDocument, ScoredDocument
from equiproof.prover.subcircuits import InstanceDocument, SubKeyDocument, SubProofDocument
from equiproof.verifier.box import BoxCertificate, BoxFields, BoxReading
from equiproof.verifier.bundle import FileReference, Manifest
from equiproof.verifier.calldata import CallDataDocument
from equiproof.verifier.certificate import Certificate, KeyReference, StatementFields
from equiproof.verifier.contract import ContractDocument
from equiproof.verifier.documents import (
    CommitmentDocument,
    DrawnBeacon,
    KeyCeremony,
    KeyDocument,
    PowersReference,
    QueryDocument,
)
from equiproof.verifier.entries import CommitmentEntry, DecisionEntry, KeyEntry, RetireEntry
from equiproof.verifier.gain import GainCertificate, GainFields, GainReading
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.opened_box import OpenedBox
from equiproof.verifier.policy_file import PolicyDocument, Requirements
from equiproof.verifier.reading import Reading
from equiproof.verifier.receipt import Receipt
from equiproof.verifier.wishes import WishesDocument

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = {
    "certificate.schema.json": Certificate,
    "gain.schema.json": GainCertificate,
    "box.schema.json": BoxCertificate,
    "policy.schema.json": PolicyDocument,
}
"""The schemas of files that people or other programs write, and the types that generate them."""

PAGE = "\n".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in (
        "certificate.md",
        "spec.md",
        "keys.md",
        "ceremony-files.md",
        "register-files.md",
        "sub-circuits.md",
        "policies.md",
        "gain.md",
        "box.md",
        "answers.md",
    )
)

SECTIONS = {
    "Certificate": Certificate,
    "Statement": StatementFields,
    "Reading": Reading,
    "Key reference": KeyReference,
    "Gain certificate": GainCertificate,
    "Gain statement": GainFields,
    "Gain reading": GainReading,
    "Box certificate": BoxCertificate,
    "Box statement": BoxFields,
    "Box reading": BoxReading,
    "Opened box": OpenedBox,
    "Wishes": WishesDocument,
    "Wish": Wish,
    "Commitment": CommitmentDocument,
    "Spec": Spec,
    "Feature": Feature,
    "Translation of a feature": SpokenFeature,
    "Translation of labels": SpokenSpec,
    "Missing values": Missing,
    "Rules of change": Changes,
    "Tables of changes": Together,
    "Opening": OpeningDocument,
    "Opening of a score": ScoredDocument,
    "Nodes": NodesDocument,
    "Layer": LayerDocument,
    "Query": QueryDocument,
    "Manifest of a run": RunHeader,
    "Row of a run": RunEntry,
    "Key": KeyDocument,
    "Key ceremony": KeyCeremony,
    "Powers reference": PowersReference,
    "Drawn beacon": DrawnBeacon,
    "Contract": ContractDocument,
    "Call data": CallDataDocument,
    "Mark of the owner": Mark,
    "Link": LinkDocument,
    "Bundle manifest": Manifest,
    "Bundle file": FileReference,
    "Shape": Shape,
    "Architecture": Architecture,
    "Policy file": PolicyDocument,
    "Requirements": Requirements,
    "Ceremony": CeremonyDocument,
    "Ceremony of a key": KeyTarget,
    "Ceremony step": StepHeader,
    "Ceremony beacon": BeaconDocument,
    "Powers of tau": PowersDocument,
    "Entry of a commitment": CommitmentEntry,
    "Entry of a key": KeyEntry,
    "Entry that retires": RetireEntry,
    "Entry of a decision": DecisionEntry,
    "Receipt": Receipt,
    "Sub-circuit": SubCircuit,
    "Sub-circuit key": SubKeyDocument,
    "Sub-circuit proof": SubProofDocument,
    "Sub-circuit instance": InstanceDocument,
}


def generated(kind: type) -> str:
    """Return a type's schema as it is committed."""
    return json.dumps(msgspec.json.schema(kind), indent=2, sort_keys=True) + "\n"


def rows(title: str) -> list[str]:
    """Return the first cells of the table in a section of the pages."""
    section = re.search(rf"^#{{1,3}} {title}\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section, title
    return re.findall(r"^\| `?(\w+)`? \|", section.group(1), re.MULTILINE)[1:]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_the_one_of_the_type(name: str) -> None:
    """Each schema in docs is what its type generates."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == generated(SCHEMAS[name])


@pytest.mark.parametrize("title", SECTIONS)
def test_fields_are_described(title: str) -> None:
    """The pages describe the fields of each document, all of them and no others, in their order."""
    assert rows(title) == [field.encode_name for field in msgspec.structs.fields(SECTIONS[title])]


def test_exit_codes_are_described() -> None:
    """docs/answers.md lists the exit codes of the command line."""
    codes = {value for name, value in vars(exit_codes).items() if name.isupper() and isinstance(value, int)}
    assert set(map(int, rows("Exit codes"))) == codes


if __name__ == "__main__":
    for name, kind in SCHEMAS.items():
        (ROOT / "docs" / name).write_text(generated(kind), encoding="utf-8")
