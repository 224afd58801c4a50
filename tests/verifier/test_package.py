"""Evidence packages: what dates a certificate after its lifetime, and everything that must not."""

import io
import json
import re
import runpy
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.tables import speaking
from equiproof.ffi import backend
from equiproof.verifier import CertificateFormatError, PolicyError, ProofError, package_reports, parse_bundle
from equiproof.verifier.archive import archived, entries
from equiproof.verifier.bundle import Bundle
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import ENTRY, CertificateEntry, box_entry, link_entry
from equiproof.verifier.errors import PackageError, VerificationError
from equiproof.verifier.link import LINK_FILE, load_link
from equiproof.verifier.logged import LogPins
from equiproof.verifier.package import PARTS, parse_package
from equiproof.verifier.package_check import check_package
from equiproof.verifier.package_reports import with_reports
from equiproof.verifier.presented import present
from tests.support import ROOT, changed
from tests.vectors.generate.log import AT, RECEIPTS, RECEIVED, REGISTER
from tests.vectors.vector import bundle_base, certificate_base
from tests.verifier.logs import ANNA, BEN, CARL, LOG, Log
from tests.verifier.packages import (
    CARD,
    LATER,
    LETTER,
    MADE,
    PINS,
    POLICY,
    SEEN,
    WITNESSES,
    at,
    certificate_proof,
    own_bundle,
    package,
    reader,
    reported,
)


def refused(made, wanted, **fields):
    """Check a package that must be refused, and return the message."""
    with pytest.raises(VerificationError) as caught:
        check_package(made, "p", reader(**fields))
    assert caught.value.reason == wanted, caught.value
    return str(caught.value)


def test_within_its_lifetime_it_is_verified_as_ever():
    """Five years from the context's date on, with a log or without one."""
    for pins, seen in ((PINS, "2026-03-04T12:01:00Z"), (None, "")):
        found = check_package(package(), "p", reader(at("2031-01-31"), pins=pins))
        assert (found.as_of, found.seen, str(found.ends)) == ("", seen, "2031-01-31")
        assert found.document()["verdict"] == "verified"
    assert found.lacking == ("the log's key (--log-key)", "witnesses of the log (--witnesses)")
    assert not found.verified.pins.commitment
    assert not found.verified.pins.key


def test_after_it_the_log_dates_it():
    """The day after, and ten years later: valid as of the time by which two witnesses had seen it."""
    for now in (at("2031-02-01"), LATER):
        found = check_package(package(), "p", reader(now))
        assert found.as_of == "2026-03-04T12:01:00Z"
        assert found.document()["verdict"] == "valid-as-of"
        assert found.lacking == ()


@pytest.mark.parametrize(
    ("parts", "fields", "named"),
    [
        ({"certificate_proof": None}, {}, ["a log proof of the certificate's file"]),
        ({}, {"pins": None}, ["the log's key (--log-key)", "witnesses of the log (--witnesses)"]),
        ({}, {"pins": LogPins(LOG.verifier)}, ["witnesses of the log (--witnesses)"]),
        ({"certificate_proof": None}, {"pins": None}, ["a log proof", "--log-key", "--witnesses"]),
    ],
)
def test_without_a_witnessed_proof_it_says_what_is_missing(parts, fields, named):
    """A certificate that verifies shows nothing after its lifetime; log proofs of model and receipt do not help."""
    message = refused(package(**parts), "lifetime-over", **fields)
    assert "lifetime of 5 years ended on 2031-01-31" in message
    for words in named:
        assert words in message
    assert "commitment" not in message


def test_a_missing_witness_is_named():
    """One cosignature where two are pinned, or one of somebody else's."""
    for cosigners in (SEEN[:1], (SEEN[0], (CARL, MADE))):
        pins = LogPins(LOG.verifier, WITNESSES[:2], 2)
        message = refused(package(certificate_proof=certificate_proof(cosigners)), "too-few-witnesses", pins=pins)
        assert message.startswith("p: certificate.tlog-proof: 1 of the 2 accepted witnesses")


def test_one_liar_dates_nothing_back():
    """A checkpoint of after the lifetime, which one of two witnesses dates back: the later word counts."""
    late = at("2033-01-01")
    forged = package(certificate_proof=certificate_proof(((ANNA, MADE), (BEN, late))))
    assert "by 2033-01-01T12:00:00Z only" in refused(forged, "lifetime-over")
    three = package(certificate_proof=certificate_proof(((ANNA, MADE), (BEN, late), (CARL, late))))
    assert "by 2033-01-01T12:00:00Z only" in refused(three, "lifetime-over")
    honest = package(certificate_proof=certificate_proof((*SEEN, (CARL, late))))
    assert check_package(honest, "p", reader()).as_of == "2026-03-04T12:01:00Z"


def test_a_checkpoint_of_after_the_lifetime_shows_nothing():
    """Witnesses who saw it late saw what could have been forged; the last day still counts."""
    for day, good in (("2031-01-31", True), ("2031-02-01", False)):
        made = package(certificate_proof=certificate_proof(((ANNA, at(day)), (BEN, at(day)))))
        if good:
            assert check_package(made, "p", reader()).as_of == f"{day}T12:00:00Z"
        else:
            refused(made, "lifetime-over")


def test_dates_shorten_the_lifetime_and_never_prolong_it():
    """The earliest of context, receipt and witnesses counts: a receipt of later years adds none."""
    later = own_bundle(changed(RECEIVED, time="2030-03-04T10:00:00Z"))
    assert str(check_package(package(bundle=later), "p", reader(at("2030-06-01"))).ends) == "2031-01-31"
    earlier = own_bundle(changed(RECEIVED, time="2020-02-29T10:00:00Z"))
    refused(package(bundle=earlier), "lifetime-over", now=at("2026-03-05"), pins=None)
    nothing = package(
        bundle=own_bundle(None, context=None),
        policy=b'{"format":"equiproof-policy","requires":{"min_radius":"0.1"},"version":2}',
    )
    assert "nothing says when" in refused(nothing, "lifetime-over", pins=None, now=MADE)
    assert str(check_package(nothing, "p", reader(MADE + 3600)).ends) == "2031-03-04"
    before = package(certificate_proof=certificate_proof([(one, at("2025-12-01")) for one in (ANNA, BEN)]))
    assert str(check_package(before, "p", reader(MADE)).ends) == "2030-12-01"


def test_a_date_that_is_not_yet_is_refused():
    """Whoever forges later could write one."""
    ahead = own_bundle(changed(RECEIVED, time="2026-12-31T10:00:00Z"))
    assert "2026-12-31" in refused(package(bundle=ahead), "not-yet", now=at("2026-12-29"), pins=None)
    check_package(package(bundle=ahead), "p", reader(at("2026-12-30"), pins=None))


def test_a_log_proof_of_anything_else_does_not_do():
    """Of the model, of the receipt, or of another certificate: all of them are in the log, and none is this one."""
    other = certificate_base("rates")["certificate.json"]
    for proof in (
        certificate_proof(certificate=other),
        REGISTER.proof(AT, SEEN).data,
        REGISTER.proof(RECEIPTS, SEEN).data,
    ):
        refused(package(certificate_proof=proof), "other-entry")


def test_an_entry_of_a_box_certificate_dates_no_certificate():
    """Though it has the digest of this very file."""
    entry = box_entry(certificate_base("loans")["certificate.json"])
    proof = Log([*REGISTER.entries, entry.data]).proof(len(REGISTER.entries), SEEN).data
    refused(package(certificate_proof=proof), "other-entry")


KEPT = ROOT / "tests" / "golden" / "loans-kept"
KEPT_POLICY = b'{"format":"equiproof-policy","requires":{},"version":2}'
OWN_LINK, OWN_COMMITMENT = load_link(KEPT / LINK_FILE), load_commitment(KEPT / "commitment.json")
LINK_ENTRY = link_entry("Example Bank", OWN_LINK, OWN_COMMITMENT)


def kept_package(cosigners=SEEN, entry=LINK_ENTRY, **parts):
    """Return the package of a certificate under a kept key, with the log proof of an entry for its link's."""
    certificate = (KEPT / "certificate.json").read_bytes()
    entries = [*REGISTER.entries, entry.data]
    found = {
        "bundle": present(KEPT).bundle().to_bytes(),
        "policy": KEPT_POLICY,
        "certificate_proof": certificate_proof(certificate=certificate),
        "link_proof": Log(entries).proof(len(REGISTER.entries), cosigners).data,
    }
    return package(**(found | parts))


def test_a_kept_keys_link_is_dated_with_the_certificate():
    """A link is a proof, too: forged later, it would show another model in a certificate that was there before."""
    dated = parse_package(kept_package().to_bytes(), "p")
    assert check_package(dated, "p", reader(MADE)).as_of == ""
    assert check_package(dated, "p", reader()).as_of == "2026-03-04T12:01:00Z"
    for lacking in (kept_package(link_proof=None), kept_package(link_proof=None, certificate_proof=None)):
        assert check_package(lacking, "p", reader(MADE)).as_of == ""
        assert "a log proof of the link's file" in refused(lacking, "lifetime-over")
    late = kept_package(tuple((one, at("2033-01-01")) for one in (ANNA, BEN)))
    assert "by 2033-01-01T12:00:00Z only" in refused(late, "lifetime-over")
    later = kept_package(tuple((one, at("2027-01-01")) for one in (ANNA, BEN)))
    assert check_package(later, "p", reader()).as_of == "2027-01-01T12:00:00Z"
    refused(kept_package(certificate_proof=None), "lifetime-over")


def test_an_entry_of_another_link_dates_none():
    """Of another file, of this one under another key or commitment, and an entry of another kind with its digest."""
    for entry in (
        link_entry("Example Bank", changed(OWN_LINK, shown=f"{7:064x}"), OWN_COMMITMENT),
        changed(LINK_ENTRY, key="ab" * 32),
        changed(LINK_ENTRY, commitment="ab" * 32),
        CertificateEntry(*ENTRY, "certificate", LINK_ENTRY.link),
    ):
        for now in (MADE, LATER):
            refused(kept_package(entry=entry), "other-entry", now=now)


def test_swapped_parts_are_refused():
    """A bundle, a report, a log proof or a receipt of somebody else's, each with a manifest that fits."""
    stranger = package(bundle=bundle_base("ceremony"), certificate_proof=None, policy=POLICY)
    with pytest.raises(CertificateFormatError, match="requires the applicant's query file"):
        check_package(stranger, "p", reader(MADE))
    native = reported()
    refused(package(native_report=native), "other-report", now=MADE)
    refused(package(python_report=reported(certificate="0" * 64)), "other-report", now=MADE)
    refused(package(python_report=reported(policy="0" * 64)), "other-report", now=MADE)
    refused(package(bundle=own_bundle(changed(RECEIVED, query_commitment="0" * 64))), "other-receipt", now=MADE)
    parts = vars(parse_bundle(own_bundle(), "b"))
    foreign = parse_bundle(bundle_base("ceremony"), "b")
    mixed = Bundle(**(parts | {"certificate": foreign.certificate})).to_bytes()
    with pytest.raises((ProofError, VerificationError)):
        check_package(package(bundle=mixed, certificate_proof=None), "p", reader(MADE))


def test_reports_are_what_was_said_then():
    """One that says otherwise than the check of now is shown, and changes nothing in either direction."""
    for verdict, reason in (("verified", None), ("refused", "pairings-differ")):
        found = check_package(package(python_report=reported(verdict=verdict, reason=reason)), "p", reader(MADE + 60))
        assert [(one.verdict, one.at) for one in found.reports] == [(verdict, "2026-03-04T12:00:00Z")]
        names = ("checker", "at", "verdict", "reason", "said")
        assert found.document()["said_then"] == [{name: getattr(found.reports[0], name) for name in names}]
    parts = vars(parse_bundle(own_bundle(), "b"))
    other = certificate_base("loans")["certificate.json"].replace(b'"proof":"', b'"proof":"AAAA', 1)
    broken = Bundle(**(parts | {"certificate": other})).to_bytes()
    with pytest.raises((CertificateFormatError, VerificationError)):
        check_package(package(bundle=broken, python_report=reported(), certificate_proof=None), "p", reader(MADE))


def test_a_report_states_its_format():
    """A report is read by its name and version, which stay as they are."""
    report = json.loads(reported())
    assert (report["format"], report["version"]) == ("equiproof-report", 1)


def test_the_packages_policy_pins_nothing_for_the_reader():
    """A policy that names the model and the key of the package itself is met, and both still came with it."""
    of = parse_bundle(own_bundle(), "b")
    from equiproof.verifier.presented import of_bundle

    presented = of_bundle(of, "b")
    names = {
        "model_commitment": presented.commitment.model_commitment,
        "key_fingerprint": presented.key.document.fingerprint,
    }
    policy = canonical_bytes({"format": "equiproof-policy", "requires": names, "version": 2})
    found = check_package(package(policy=policy), "p", reader(MADE))
    assert found.document()["pinned"] == {"commitment": False, "key": False}
    assert found.verified.not_made[0].startswith("that the owner shows this model to everybody")


def test_a_certificate_that_misses_its_own_policy_is_refused():
    """Evidence that the owner let out what its policy forbids is no evidence of good order."""
    policy = POLICY.replace(b'"0.1"', b'"100"')
    with pytest.raises(PolicyError):
        check_package(package(policy=policy), "p", reader(MADE))


def test_letter_and_model_card_are_compared():
    """By their digests, where the reader has them."""
    found = check_package(package(), "p", reader(MADE, letter=LETTER, model_card=CARD))
    assert found.compared == ("letter", "model card")
    refused(package(), "other-letter", now=MADE, letter=LETTER + b" ")
    refused(package(), "other-model-card", now=MADE, model_card=LETTER)
    refused(package(model_card=None), "other-model-card", now=MADE, model_card=CARD)


def test_a_package_has_one_spelling():
    """Its bytes give the same package again, and any other bytes none."""
    made = package(python_report=reported())
    data = made.to_bytes()
    assert parse_package(data, "p") == made
    assert "income" not in repr(made)
    files = entries(data, "p")
    for other in (files[:-1], [*files, files[-1]], [files[0], *reversed(files[1:])], files[1:], [*files, ("x", b"")]):
        with pytest.raises(CertificateFormatError):
            parse_package(archived(other), "p")
    for place in (0, 40, len(data) // 2, len(data) - 1):
        with pytest.raises(CertificateFormatError):
            parse_package(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], "p")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("decision", ""), ("decision", "a\nb"), ("decision", "x" * 129), ("made", "2026-03-04"),
        ("keep_until", "2028-02-30"), ("letters", (("en", "x"),)), ("model_card", "AB" * 32),
    ],
)  # fmt: skip
def test_the_owners_words_have_their_form(field, value):
    """A field of the manifest that is not as the page describes it is refused by its name."""
    with pytest.raises(CertificateFormatError, match=f"field {field}"):
        replace(package(), **{field: value}).to_bytes()


def test_its_files_are_called_as_the_page_says():
    """The table of files names each of them."""
    page = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    assert {f"`{part.name}`" for part in PARTS} <= set(re.findall("`[^`\n]+`", page))


def test_bundles_and_documents_are_no_packages():
    """Each is called what it is, and a bundle, which is an archive too, is told by its reason."""
    for data, said, reason in (
        (own_bundle(), "this is a bundle, want an evidence package", "wrong-files"),
        (
            certificate_base("loans")["certificate.json"],
            "this is a certificate, want an evidence package",
            "not-a-bundle",
        ),
        (b"x", "want an evidence package: this is no zip archive", "not-a-bundle"),
    ):
        with pytest.raises(CertificateFormatError, match=said) as caught:
            parse_package(data, "p")
        assert caught.value.reason == reason


def test_what_is_wrong_inside_is_said_of_the_package():
    """A file that the manifest does not list is one of the evidence package, whose manifest is package.json."""
    files = entries(package().to_bytes(), "p")
    assert files[0][0] == "package.json"
    with pytest.raises(CertificateFormatError, match=r"p: package\.json: get the package again: field files lists"):
        parse_package(archived([files[0], *files[1:-1]]), "p")
    with pytest.raises(CertificateFormatError, match="as you received it: 'other' is no file of a package"):
        parse_package(archived([*files, ("other", b"")]), "p")


def test_what_is_wrong_with_a_package_is_said_in_german():
    """No noun of the other language stands in a sentence, of whatever is wrong."""
    files = entries(package().to_bytes(), "p")
    wrong = json.loads(files[0][1]) | {"made": "gestern"}
    manifest = (files[0][0], canonical_bytes(wrong))
    for data, said in (
        (own_bundle(), "Das ist ein Bündel, erwartet ist ein Nachweispaket"),
        (b"x", "erwartet ist ein Nachweispaket: das ist kein Zip-Archiv"),
        (archived([files[0], *files[1:-1]]), r"holen Sie das Archiv neu \(Nachweispaket\): das Feld files nennt"),
        (archived([*files, ("other", b"")]), r"'other' gehört nicht in ein solches Archiv \(Nachweispaket\)"),
        (archived([manifest, *files[1:]]), "Feld made: schreiben Sie es so, wie docs/package.md es angibt"),
    ):
        with speaking("de"), pytest.raises(CertificateFormatError, match=said):
            parse_package(data, "p")


def test_what_stands_in_place_of_the_manifest_is_named():
    """A package that begins with another file than its manifest."""
    with pytest.raises(CertificateFormatError, match=r"p: .*'other\.json'"):
        parse_package(archived([("other.json", b"{}"), ("package.json", b"{}")]), "p")


def test_errors_are_of_the_package():
    """A refusal has a class of its own, with the exit code of refusals."""
    assert PackageError("a", "other-report").exit_code == 1


def test_programs_that_are_there_report():
    """Python always reports and the native library where it is built, each as of the time of the package."""
    plain = package(made="2026-03-04T12:00:00Z")
    made = with_reports(plain)
    python, native = made.python_report, made.native_report
    assert python is not None
    assert python == reported()
    assert native is None if not backend.available() else native == reported("native")
    assert replace(made, python_report=None, native_report=None) == plain


def test_what_was_found_is_a_document():
    """Programs read these names, beside those of the certificate's own verification."""
    made = package(python_report=reported())
    within, later = check_package(made, "p", reader(MADE + 60, pins=None)), check_package(made, "p", reader())
    alone = within.verified.document(within.presented.query)
    for found, verdict, as_of, seen in (
        (within, "verified", None, None),
        (later, "valid-as-of", "2026-03-04T12:01:00Z", "2026-03-04T12:01:00Z"),
    ):
        document = found.document()
        assert document.keys() - alone.keys() == {
            "as_of", "seen_by_witnesses", "lifetime_ends", "missing", "said_then", "decision", "made", "keep_until",
            "letters", "model_card", "compared", "pair", "corrections",
        }  # fmt: skip
        assert [document[name] for name in ("verdict", "as_of", "seen_by_witnesses")] == [verdict, as_of, seen]
        assert [document[name] for name in ("decision", "made", "keep_until", "lifetime_ends")] == [
            "7f3a", "2026-03-04T12:10:00Z", "2028-04-18", "2031-01-31",
        ]  # fmt: skip
        assert document["letters"] == dict(made.letters)
        assert (document["model_card"], document["pair"]) == (made.model_card, None)


@pytest.mark.parametrize("program", ["native", "python"])
def test_a_report_of_another_program_is_named(program):
    """The message has the file that is wrong, whichever of the two it is."""
    other = {"native": "python", "python": "native"}[program]
    wrong = package(**{f"{program}_report": reported(checker=other)})
    message = refused(wrong, "other-report", now=MADE)
    assert message == f"p: {program}.report.json is about another certificate, policy or program"
    right = check_package(package(**{f"{program}_report": reported(checker=program)}), "p", reader(MADE))
    assert [one.checker for one in right.reports] == [program]


def test_the_model_must_be_in_the_log_that_is_pinned():
    """A log proof of the commitment is part of what is verified, and one of another entry is refused."""
    assert any("the log" in line for line in check_package(package(), "p", reader(MADE)).verified.made)
    other = package(bundle=own_bundle(log_proof=REGISTER.proof(RECEIPTS, SEEN).data))
    refused(other, "other-entry", now=MADE)
    check_package(other, "p", reader(MADE, pins=None))


@pytest.mark.parametrize("name", [part.name for part in PARTS])
def test_bundle_and_policy_are_in_every_package(name):
    """Without one of these it is no package; reports and the log proof may be missing."""
    whole = package(native_report=reported(checker="native"), python_report=reported())
    (first, manifest), *files = entries(whole.to_bytes(), "p")
    kept = [one for one in files if one[0] != name]
    listed = json.loads(manifest)
    listed["files"] = [one for one in listed["files"] if one["name"] != name]
    data = archived([(first, canonical_bytes(listed)), *kept])
    if name in ("certificate.equiproof", "policy.json"):
        with pytest.raises(CertificateFormatError, match=re.escape(name)) as caught:
            parse_package(data, "p")
        assert caught.value.reason == "wrong-files"
    else:
        assert [one for one, _ in parse_package(data, "p").files()] == [one for one, _ in kept]


def test_as_a_program_it_adds_the_reports(monkeypatch):
    """It reads a package and writes it with the reports of the programs that are there."""
    plain = package(made="2026-03-04T12:00:00Z")
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(plain.to_bytes())))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    runpy.run_path(package_reports.__file__, run_name="__main__")
    assert out.getvalue() == with_reports(plain).to_bytes()
