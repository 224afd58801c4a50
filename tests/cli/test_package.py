"""`equiproof package verify`: what it says within the lifetime and after it, and what it names as missing."""

import json
from dataclasses import replace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import parse_bundle
from equiproof.verifier.package_check import check_package
from tests.support import changed
from tests.vectors.generate.log import RECEIVED
from tests.vectors.vector import bundle_base
from tests.verifier.logs import ANNA, BEN, LOG
from tests.verifier.packages import (
    CARD,
    LETTER,
    MADE,
    POLICY,
    certificate_proof,
    own_bundle,
    package,
    reader,
    reported,
)
from tests.verifier.test_package_pair import ITS, LATER, RECORD

OLD = "2019-03-04T10:00:00Z"


@pytest.fixture
def pinned(tmp_path):
    """The options that pin log and witnesses."""
    path = tmp_path / "witnesses"
    path.write_text(f"{ANNA.verifier.text}\n{BEN.verifier.text}\n")
    return ["--log-key", LOG.verifier.text, "--witnesses", path]


def written(tmp_path, **parts):
    """Write a package into a file."""
    path = tmp_path / "evidence.package"
    path.write_bytes(package(**parts).to_bytes())
    return path


def test_within_the_lifetime(cli, tmp_path, pinned):
    """The verdict, what was said then, what was compared, what is open, and the day until which it is kept."""
    (tmp_path / "letter.html").write_bytes(LETTER)
    (tmp_path / "card.md").write_bytes(CARD)
    path = written(tmp_path, python_report=reported())
    words = [
        "package",
        "verify",
        path,
        *pinned,
        "--letter",
        tmp_path / "letter.html",
        "--model-card",
        tmp_path / "card.md",
    ]
    said = " ".join(cli(*words).out.split())
    for text in (
        "VERIFIED within its lifetime, which ends on 2031-01-31, seen in the log by 2026-03-04T12:01:00Z",
        "said then, and not believed: - 2026-03-04T12:00:00Z python: verified",
        "the letter is the one that the package names",
        "decision 7f3a, package of 2026-03-04T12:10:00Z, to be kept until 2028-04-18",
        "not checked: - that the owner shows this model to everybody",
    ):
        assert text in said, said
    found = cli(*words, "--json").document
    assert (found["verdict"], found["as_of"], found["lifetime_ends"]) == ("verified", None, "2031-01-31")
    assert found["keep_until"] == "2028-04-18"


def test_after_the_lifetime(cli, tmp_path, pinned):
    """A decision of 2019: with a witnessed proof it is valid as of then, without one the way out is named."""
    old = own_bundle(changed(RECEIVED, time=OLD), receipt_proof=None)
    seen = certificate_proof(((ANNA, 1_580_000_000), (BEN, 1_580_000_000)))
    path = written(tmp_path, bundle=old, certificate_proof=seen)
    said = cli("package", "verify", path, *pinned).out
    assert said.startswith(
        "VALID as of the witnessed checkpoint of 2020-01-26T00:53:20Z; the lifetime ended on 2024-03-04"
    )
    cli("package", "verify", path).complaint(1, "ended on 2024-03-04", "--log-key", "--witnesses")
    bare = tmp_path / "bare"
    bare.mkdir()
    path = written(bare, bundle=old, certificate_proof=None)
    cli("package", "verify", path, *pinned).complaint(1, "a log proof of the certificate's file")


def test_the_readers_own_demands(cli, tmp_path):
    """Policy, model and radius of the reader's are required; the package's own are not the reader's."""
    path = written(tmp_path)
    cli("package", "verify", path, "--min-radius", "50").complaint(1, "radius")
    cli("package", "verify", path, "--model-commitment", "0" * 64).complaint(1)
    cli("package", "verify", path, "--witnesses", path).complaint(2, "--log-key")
    cli("package", "verify", path, "--log-key", "x").complaint(2, "--log-key")


def test_other_files_are_named(cli, tmp_path):
    """A bundle, a missing file, a letter of somebody else's; nothing is trusted for its name."""
    path = tmp_path / "x.equiproof"
    path.write_bytes(own_bundle())
    cli("package", "verify", path).complaint(2, path, "this is a bundle, want an evidence package")
    cli("package", "verify", tmp_path / "none").complaint(2, "none")
    cli("package", "verify", written(tmp_path), "--letter", path).complaint(1, "the letter is another one")
    cli("verify", written(tmp_path)).complaint(2, "package.json")


def test_the_command_compares_two_packages(cli, tmp_path):
    """It verifies both, and refuses two that say they differ and do not, or do not name each other."""
    bundles = own_bundle(), own_bundle(LATER, receipt_proof=None)
    for name, bundle, record in (
        ("first", bundles[0], RECORD),
        ("second", bundles[1], ITS),
        ("alone", bundles[1], None),
    ):
        records = () if record is None else (record,)
        (tmp_path / name).write_bytes(package(decision=name, bundle=bundle, corrections=records).to_bytes())
    words = ("package", "verify", tmp_path / "first", "--pair")
    cli(*words, tmp_path / "second").complaint(1, "not those that differ in the packages")
    cli(*words, tmp_path / "alone").complaint(1, "do not name each other")
    cli(*words, tmp_path / "none").complaint(2, "none")
    record = cli("package", "verify", tmp_path / "first", "--json").document["corrections"]
    assert record == [json.loads(canonical_bytes(RECORD))]


def test_a_recourse_is_part_of_it(cli, tmp_path):
    """What each box says stands below the verdict; once the lifetime is over nothing dates it, and it is left out."""
    certificate = parse_bundle(bundle_base("recourse"), "r").certificate
    policy = POLICY.replace(b'"min_radius":"0.1",', b"")
    seen = certificate_proof(((ANNA, MADE), (BEN, MADE)), certificate)
    parts = {"bundle": bundle_base("recourse"), "policy": policy, "certificate_proof": seen, "letters": ()}
    path = written(tmp_path, **parts)
    said = " ".join(cli("package", "verify", path).out.split())
    assert "this model then decides granted, whatever the listed value of sex is. It is enough that housing is" in said
    assert [box["name"] for box in cli("package", "verify", path, "--json").document["recourse"]] == ["way-1", "way-2"]
    checked = check_package(package(**parts), "p", reader())
    assert checked.as_of
    assert checked.verified.recourse == ()
    assert "a log proof of its box certificates" in checked.lacking[-1]
    lied = changed_bundle(way_1_box=parse_bundle(bundle_base("recourse"), "r").way_2_box)
    path = written(tmp_path, **parts | {"bundle": lied})
    cli("package", "verify", path).complaint(1, "recourse/way-1/certificate.json")


def changed_bundle(**files):
    """Return the bundle with a recourse, some of its files changed."""
    return replace(parse_bundle(bundle_base("recourse"), "r"), **files).to_bytes()
