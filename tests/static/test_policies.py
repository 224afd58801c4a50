"""Policies in the Go verifier: what each requires, from files and from options, as in Python, in the same words."""

import json

import pytest

from equiproof.circuits.field import to_hex
from equiproof.circuits.statement import Statement
from equiproof.cli.main import run
from equiproof.verifier import CertificateFormatError, Own, PolicyError, parse_commitment, parse_policy
from equiproof.verifier.documents import parse_key
from equiproof.verifier.facts import Facts
from tests.static.build import said
from tests.vectors.vector import COMMITMENT, CONTEXT, GOLDEN, KEY, QUERY
from tests.web.specs import drawn
from tests.web.test_agreement import TIMES, generator, written

LOANS = GOLDEN / "loans"
MODEL = parse_commitment((LOANS / COMMITMENT).read_bytes(), "it").model_commitment
FINGERPRINT = parse_key((LOANS / KEY).read_bytes(), "it").fingerprint
CONTEXTS = {"has": {"date": "2026-01-31"}, "max_days": 10**30}


def nested(depth, innermost):
    """Return requirements with `any_of` so many times inside each other."""
    return {"any_of": [nested(depth - 1, innermost)]} if depth else innermost


REQUIREMENTS = [
    {},
    {"query": True, "context": CONTEXTS, "min_radius": "1.39", "no_ranges": True, "proof_system": "groth16-bn254"},
    {"model_commitment": MODEL, "key_fingerprint": FINGERPRINT, "setup": "single-party"},
    {"model_commitment": to_hex(1)},
    {"key_fingerprint": "f" * 64},
    {"key_fingerprint": "F" * 64},
    {"model_commitment": "f" * 64},
    {"setup": "ceremony"},
    {"proof_system": "plonk-bn254"},
    {"transcript": "a" * 64},
    {"signed_by": {"keys": ["anna"], "least": 1}},
    {"signed_by": {"keys": [], "least": 1}},
    {"min_radius": "1.4"},
    {"min_radius": "-1"},
    {"min_radius": "wide"},
    {"ranges_within": {}},
    {"ranges_within": {"income": ["0", "1"]}},
    {"ranges_within": {"income": ["2", "1"]}},
    {"ranges_within": {"wealth": ["0", "1"], "assets": ["0", "1"]}},
    {"covers": ["sex"]},
    {"covers": ["sex", "race"]},
    {"covers": ["income"]},
    {"covers": ["Sex"], "min_radius": "0"},
    {"covers": ["sex of the " + "x" * 60]},
    {"covers": []},
    {"context": {"max_days": 1}},
    {"context": {"max_days": -1}},
    {"context": {"has": {"date": "2026-02-01"}}},
    {"context": {"has": {"office": "north"}}},
    {"context": {}},
    {"query": True},
    {"any_of": [{"min_radius": "9"}, {"setup": "universal"}]},
    {"any_of": [{"min_radius": "9"}, {"no_ranges": True, "context": CONTEXTS}], "min_radius": "0"},
    {"any_of": [{}]},
    nested(7, {"no_ranges": True}),
    nested(8, {"no_ranges": True}),
    {"query": False, "no_ranges": False, "any_of": [], "min_radius": None},
]


@pytest.mark.parametrize("requires", REQUIREMENTS, ids=range(len(REQUIREMENTS)))
@pytest.mark.parametrize("own", [False, True], ids=["alone", "with query and context"])
def test_policy_files(program, requires, own, tmp_path, capsys):
    """A policy file has the same verdict for the same reason, and an answer names the same checks."""
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires}))
    words = [LOANS, "--verbose", "--policy", path, "--keys", LOANS / "keys"]
    words += ["--query", LOANS / QUERY, "--context", LOANS / CONTEXT] if own else []
    code = run(["verify", *map(str, words), "--checker", "native"])
    assert said(program, *words) == (code, *capsys.readouterr())


def requirements(spec, rng):
    """Return requirements about radius and ranges that statements of a spec may meet."""
    ends = {
        feature.name: rng.choice(([*(feature.range or ("0", "0"))], sorted((str(rng.randint(-9, 9)), "5"), key=int)))
        for feature in spec.plain_features
        if feature.kind == "numeric" and rng.random() < 0.8
    }
    radius = f"{rng.choice((0, 1, rng.randint(0, 16)))}.{rng.choice(('0', '5', '125'))}"
    single = ({"ranges_within": ends or {"wealth": ["0", "1"]}}, {"no_ranges": True}, {"min_radius": radius})
    return [*single, {"any_of": single}]


def test_radius_and_ranges_of_drawn_specs(packages):
    """Radius and ranges are compared exactly: the same statements meet the same policies, in the same words."""
    rng, seen = generator("policies"), set()
    for _ in range(20 * (TIMES or 1)):
        spec = drawn(rng)
        squared = rng.choice((0, rng.randrange(10**4), rng.randrange(spec.max_radius_squared)))
        facts = Facts(Statement(0, 0, 0, 0, 0, squared, 0), spec, None)
        for requires in requirements(spec, rng):
            policy = json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires})
            found = packages.ask("judge", spec=written(spec), radius=squared, data=policy)
            try:
                wanted = {"value": list(parse_policy(policy.encode(), "policy", Own()).check(facts))}
            except (CertificateFormatError, PolicyError) as error:
                wanted = {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
            assert found == wanted, (written(spec), policy)
            seen.add(wanted.get("reason"))
    assert seen >= {None, "radius-too-small", "ranges-not-accepted", "ranges-too-narrow"}
