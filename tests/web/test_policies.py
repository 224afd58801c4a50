"""Policies of the TypeScript verifier: what is met, what is refused and why, and what is left to the reader."""

import json
from datetime import date
from types import SimpleNamespace

import pytest

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import SpecError, checked
from equiproof.verifier import TrustStore, Verifier, parse_certificate, parse_commitment, parse_query
from equiproof.verifier import policy as policies
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import ALWAYS_LEFT_TO_YOU
from equiproof.verifier.link import LINK_FILE
from tests.support import KEPT, LOGARITHMS, ROOT, changed, no_policy
from tests.vectors.vector import CERTIFICATE, COMMITMENT, QUERY, certificate_base

GOLDEN = ROOT / "tests" / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob(f"*/{CERTIFICATE}") if not path.with_name(LINK_FILE).exists())
"""The published certificates but those of kept models, whose links this verifier does not read."""
PINNED = json.loads((GOLDEN / "published.json").read_text())
KEY, MODEL = PINNED["loans"]["fingerprint"], PINNED["loans"]["model_commitment"]


def asked(package, name="loans", policy=None, **changed):
    """Return the answer about a published certificate."""
    files = certificate_base(name) | changed
    return package.ask("certificate", files={file: data.hex() for file, data in files.items()}, policy=policy or {})


@pytest.mark.parametrize("name", NAMES)
def test_published_certificates(package, name):
    """A published certificate is verified with the name, the words and the intervals of the other verifiers."""
    found = asked(package, name, {"query": True, "context": True, "min_radius": "0.1"})["value"]
    read = {file: (GOLDEN / name / file).read_bytes() for file in (CERTIFICATE, COMMITMENT, QUERY)}
    verifier = Verifier(parse_commitment(read[COMMITMENT], COMMITMENT), TrustStore.open(GOLDEN / name / "keys"))
    verified = verifier.verify(parse_certificate(read[CERTIFICATE], CERTIFICATE), no_policy())
    assert found["identity"] == verified.identity == PINNED[name]["identity"]
    assert found["sentence"] == verified.reading.sentence()
    assert found["intervals"] == verified.intervals(parse_query(read[QUERY], QUERY))
    assert found["made"][: len(verified.made)] == list(verified.made)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ({"min_radius": "1.3984375"}, None),
        ({"min_radius": "1.39843750000000000000000000000000000001"}, "radius-too-small"),
        ({"min_radius": "-1"}, "radius-too-small"),
        ({"key": KEY}, None),
        ({"key": "0" * 64}, "other-key"),
        ({"model": MODEL}, None),
        ({"model": MODEL.upper()}, "other-model"),
        ({"setup": "single-party"}, None),
        ({"setup": "ceremony"}, "other-setup"),
        ({"transcript": KEY}, "other-transcript"),
        ({"transcript": ""}, "other-transcript"),
        ({"proof_system": "groth16-bn254"}, None),
        ({"proof_system": "plonk-bn254"}, "other-proof-system"),
        ({"no_ranges": True}, None),
        ({"all_of": [{"key": KEY}, {"setup": "universal"}, {"key": "0" * 64}]}, "other-setup"),
        ({"any_of": [{"setup": "universal"}, {"key": KEY}]}, None),
        ({"any_of": [{"setup": "universal"}, {"key": "0" * 64}]}, "no-policy-met"),
    ],
)
def test_policies(package, policy, reason):
    """Each policy accepts the published certificate, or refuses it for its own reason."""
    answer = asked(package, policy=policy)
    assert (answer.get("exception"), answer.get("reason")) == (reason and "PolicyError", reason)


@pytest.mark.parametrize(
    ("policy", "exception"),
    [
        ({"min_radius": "1e3"}, "SpecError"),
        ({"min_radius": "0x1"}, "SpecError"),
        ({"all_of": []}, "RangeError"),
        ({"any_of": []}, "RangeError"),
    ],
)
def test_policies_that_mean_nothing(package, policy, exception):
    """A radius that is no decimal, and a policy of nothing, are refused when the policy is made."""
    assert asked(package, policy=policy)["exception"] == exception


def test_ranges_are_refused_where_none_are_accepted(package):
    """A spec that restricts neighbors to ranges does not meet NoRanges; one that does not, meets it."""
    from tests.web.test_agreement import written

    assert package.call("no_ranges", written(KEPT)) == "ranges-not-accepted"


def test_what_is_left_open(package):
    """Without a policy every check is left to the reader; each policy takes its own off the list."""
    left = asked(package)["value"]["notMade"]
    assert len(left) == 4 + len(ALWAYS_LEFT_TO_YOU)
    assert left[-2:] == list(ALWAYS_LEFT_TO_YOU)
    for number, policy in enumerate(({"query": True}, {"context": True}, {"min_radius": "1"})):
        assert asked(package, policy=policy)["value"]["notMade"] == [*left[:number], *left[number + 1 :]]
        alternatives = {"any_of": [policy, {"key": KEY}]}
        assert asked(package, policy=alternatives)["value"]["notMade"] == left
        assert asked(package, policy={"all_of": [policy, {"key": KEY}]})["value"]["notMade"] != left
    assert asked(package, policy={"min_radius": "0"})["value"]["notMade"] == left


def test_what_was_checked_names_every_value(package):
    """The words name each sensitive feature with all of its values."""
    made = asked(package, "rates")["value"]["made"]
    spec = parse_commitment((GOLDEN / "rates" / COMMITMENT).read_bytes(), COMMITMENT).spec
    for feature in spec.sensitive_features:
        assert f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" in made[2]


def said(policy, facts=None):
    """Return what a policy of Python answers, as the driver writes it, without the class's prefix of a message."""
    try:
        return {"value": list(policy.check(facts))}
    except PolicyError as error:
        return {"exception": "PolicyError", "reason": error.reason, "message": str(error)}


@pytest.mark.parametrize(
    ("kept", "ranges"),
    [
        (KEPT, {"income": ("0", "1")}),
        (KEPT, {"income": ("-2500.5", "4000")}),
        (KEPT, {"income": ("20000", "20000"), "years": ("0", "1")}),
        (KEPT, {"years": ("0", "1")}),
        (KEPT, {"sex": ("0", "1")}),
        (KEPT, {"nothing": ("0", "1")}),
        (KEPT, {"income": ("-1000000000", "1")}),
        (LOGARITHMS, {"wealth": ("1000", "50000"), "debt": ("0", "1000000")}),
        (LOGARITHMS, {"wealth": ("0", "50000"), "debt": ("0", "1000000")}),
        (LOGARITHMS, {"wealth": ("1000", "1000000000000"), "debt": ("0", "1000000")}),
        (LOGARITHMS, {"wealth": ("1000", "50000"), "debt": ("-0.5", "1")}),
        (LOGARITHMS, {"wealth": ("1000", "50000")}),
        (LOGARITHMS, {"housing": ("0", "1")}),
    ],
)
@pytest.mark.parametrize("use_ranges", [True, False])
def test_ranges_within(package, kept, ranges, use_ranges):
    """Named ranges lie within the certificate's, or are refused in the words of Python."""
    from tests.web.test_agreement import written

    spec = checked(changed(kept, use_ranges=use_ranges))
    wanted = said(policies.RangesWithin(ranges), SimpleNamespace(spec=spec))
    assert package.ask("call", name="ranges_within", words=[written(spec), list(ranges.items())]) == wanted


@pytest.mark.parametrize(
    ("ranges", "exception"),
    [([], "RangeError"), ([["a", ["2", "1"]]], "SpecError"), ([["a", ["1e2", "2e2"]]], "SpecError")],
)
def test_ranges_that_mean_nothing(package, ranges, exception):
    """No range, ends in the wrong order, and text that is no decimal are refused when the policy is made."""
    from tests.web.test_agreement import written

    assert package.ask("call", name="ranges_within", words=[written(KEPT), ranges])["exception"] == exception


def test_a_long_name_of_a_range_is_cut(package):
    """Forty characters of it are shown, as Python shows them."""
    from tests.web.test_agreement import written

    ranges = {"n" * 50: ("2", "1")}
    with pytest.raises(SpecError) as caught:
        policies.RangesWithin(ranges)
    answer = package.ask("call", name="ranges_within", words=[written(KEPT), list(ranges.items())])
    assert answer["message"] == str(caught.value)
    assert f"'{'n' * 40}'" in answer["message"]


@pytest.mark.parametrize(
    "texts",
    [
        {}, {"a": "1"}, {"a": "2"}, {"c": "1"}, {"a": "1", "b c": "x"}, {"b c": "y" * 80}, {"b c": "z" * 80},
        {"d" * 50: "1"}, {"d" * 50: "2"}, {"e" * 50: "1"},
    ],
)  # fmt: skip
def test_context_has(package, texts):
    """A context has the texts that are named, or is refused in the words of Python; long ones are cut."""
    context = {"a": "1", "b c": "y" * 80, "d" * 50: "1"}
    wanted = said(policies.ContextHas(context, texts))
    assert package.ask("call", name="context_has", words=[context, texts]) == wanted


DATES = (
    "2026-01-31", "2026-02-01", "2026-02-02", "2026-01-30", "2025-12-31", "2024-02-29", "2023-02-29", "0001-01-01",
    "0099-12-31", "0000-01-01", "9999-12-31", "20260131", "2026-W05-6", "2026-1-31", "2026-13-01", "2026-00-10", "",
    "2026-01-31" + "x" * 40,
)  # fmt: skip


@pytest.mark.parametrize("made", DATES)
def test_not_older_than(package, made):
    """Ages are counted as Python counts them, and other spellings of dates are refused."""
    for days in (0, 1, 40, 10**7):
        wanted = said(policies.NotOlderThan({"date": made}, days, date(2026, 1, 31)))
        assert package.ask("call", name="not_older", words=[{"date": made}, days, "2026-01-31"]) == wanted
    assert package.ask("call", name="not_older", words=[{}, 1, "31.1.2026"])["exception"] == "RangeError"
