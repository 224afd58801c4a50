"""Many box certificates at once: each has the verdict that it has alone, and nothing of another kind is counted."""

import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import BoxVerifier, CertificateFormatError, MinRadius, VerificationError, unproven
from equiproof.verifier.facts import ABOUT_BOX
from equiproof.verifier.logged import Logged, LogTerms
from equiproof.verifier.many import Demands, Source, verify_all
from tests import boxes
from tests.support import no_policy, trusting
from tests.vectors.vector import bundle_base, certificate_base
from tests.verifier.logged_boxes import PINS, proofs
from tests.verifier.logs import NOON

OTHER = certificate_base("loans")["certificate.json"]


def box():
    """Return a box certificate."""
    return boxes.granted().certificate.to_bytes()


def opened():
    """Return its opened box."""
    return boxes.data(boxes.granted())


def changed(**fields):
    """Return the box certificate with other fields of its statement: its proof is of another one."""
    document = json.loads(box())
    document["statement"] |= fields
    return canonical_bytes(document)


def wrong():
    """Return a certificate whose proof is of another context."""
    return changed(context_digest="0" * 64)


def wider():
    """Return an opened box of another box."""
    return canonical_bytes(json.loads(opened()) | {"blinding": "0" * 63 + "1"})


@pytest.fixture
def folder(tmp_path):
    """Box certificates in all places, beside files of other kinds."""
    for name, files in {
        "anna": {"certificate.json": box(), "opened.json": opened()},
        "ben": {"certificate.json": box(), "opened.json": wider()},
        "carl": {"certificate.json": box(), "one.json": opened(), "two.json": opened()},
        "dora": {"certificate.json": OTHER},
        "eve": {"certificate.json": box(), "opened.json": canonical_bytes(json.loads(opened()) | {"more": 1})},
        "finn": {"certificate.json": box(), "opened.json": opened()[:-1]},
    }.items():
        (tmp_path / name).mkdir()
        for file, data in files.items():
            (tmp_path / name / file).write_bytes(data)
    for name, data in {
        "a.json": box(), "b.json": wrong(), "c.json": box()[:-1], "d.json": OTHER, "e.json": opened(),
        "f.equiproof": bundle_base("loans"), "g.json": b"PK\x03\x04 no archive",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
    return tmp_path


def demands(policy=None, **fields):
    """Return what box certificates are verified with."""
    return Demands(boxes.commitment(), trusting(boxes.key()), policy or no_policy(), **({"boxes": True} | fields))


def rows(source, wanted):
    """Return the rows by file, and how often each check was left open."""
    judged = list(verify_all(Source(source), wanted))
    left = {name: one.left_open[name] for one in judged for name in one.left_open}
    return {row.file: row for one in judged for row in one.rows}, left


def test_each_has_the_verdict_that_it_has_alone(folder):
    """One row's trouble is that row's, and what is no box certificate is left out."""
    found, left = rows(folder, demands())
    assert {name: (row.verdict, row.reason) for name, row in found.items()} == {
        "anna/certificate.json": ("verified", None),
        "ben/certificate.json": ("refused", "other-box"),
        "carl/certificate.json": ("malformed", "wrong-files"),
        "dora/certificate.json": ("other", None),
        "eve/certificate.json": ("malformed", "wrong-fields"),
        "finn/certificate.json": ("verified", None),
        "a.json": ("verified", None),
        "b.json": ("refused", "pairings-differ"),
        "c.json": ("malformed", "not-json"),
        "d.json": ("other", None),
        "e.json": ("other", None),
        "f.equiproof": ("other", None),
        "g.json": ("other", None),
    }
    whole = found["anna/certificate.json"]
    # What cannot be read as an opened box opens nothing, and is no reason to refuse.
    assert [found[name].opened for name in ("a.json", "finn/certificate.json")] == [False, False]
    assert whole.opened is True
    assert (whole.radius_squared, whole.label, whole.key) == (None, "granted", boxes.key().document.fingerprint)
    verifier = BoxVerifier(boxes.commitment(), trusting(boxes.key()))
    assert whole.certificate == verifier.verify(box(), no_policy()).identity
    assert left[ABOUT_BOX] == 2
    for data, row in ((wrong(), found["b.json"]), (box()[:-1], found["c.json"])):
        with pytest.raises((CertificateFormatError, VerificationError)) as refused:
            verifier.verify(data, no_policy())
        assert str(refused.value) == row.message


def test_neither_kind_is_counted_as_the_other(folder):
    """Without `boxes`, the same folder has the certificates about decisions, and a line of the other kind is none."""
    found, _ = rows(folder, demands(boxes=False))
    counted = {name for name, row in found.items() if row.verdict != "other"}
    assert counted == {"dora/certificate.json", "d.json", "f.equiproof", "c.json", "g.json"}
    lines = folder / "lines.jsonl"
    lines.write_bytes(box() + b"\n" + OTHER + b"\n")
    for kind in (False, True):
        found, _ = rows(lines, demands(boxes=kind))
        other, own = found["lines.jsonl:1"], found["lines.jsonl:2"]
        if kind:
            other, own = own, other
        assert (other.verdict, other.reason) == ("malformed", "wrong-fields")
        assert own.reason != "wrong-fields"
        assert "want a box certificate" in other.message if kind else "equiproof box verify" in other.message


def test_proofs_of_one_key_are_checked_together(tmp_path, monkeypatch):
    """One call for all of them, as of certificates."""
    for number in range(20):
        (tmp_path / f"{number}.json").write_bytes(box() if number != 7 else wrong())
    calls, check = [], unproven._under_one_key

    def counted(system, key, link, certificates, *words):
        calls.append(len(certificates))
        return check(system, key, link, certificates, *words)

    monkeypatch.setattr(unproven, "_under_one_key", counted)
    found, _ = rows(tmp_path, demands())
    assert calls == [20]
    assert {name for name, row in found.items() if row.verdict != "verified"} == {"7.json"}


def test_each_with_its_own_log_proof(tmp_path):
    """A log proof beside it, or one for all; the entry of the box certificate's own file is no commitment's."""
    commitment = canonical_bytes(boxes.commitment())
    made = proofs(box(), commitment)
    policy = Logged(LogTerms(PINS["key"], PINS["witnesses"], 2).pins(), b"", NOON)
    for name, proof in {"a": made["commitment"], "b": made["box"], "c": b""}.items():
        (tmp_path / f"{name}.json").write_bytes(box())
        (tmp_path / f"{name}.tlog-proof").write_bytes(proof)
    found, _ = rows(tmp_path, demands(policy))
    assert [found[f"{name}.json"].reason for name in "abc"] == [None, "other-entry", "no-log-proof"]
    found, _ = rows(tmp_path, demands(policy, log_proof=made["commitment"]))
    assert {row.verdict for row in found.values()} == {"verified"}


def test_a_policy_about_something_else_ends_the_run(folder):
    """It is a mistake of the program: a radius is nothing that a box certificate could have."""
    with pytest.raises(TypeError, match="not about box certificates"):
        rows(folder, demands(MinRadius("0")))
