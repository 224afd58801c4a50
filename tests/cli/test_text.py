"""What the commands say to people: what was proven, in which units, what was checked and what was not."""

import json
from decimal import Decimal
from types import SimpleNamespace

import pytest

from equiproof.certify.traversal.search import Search
from equiproof.cli.commands.prove import _text as proven_text
from equiproof.cli.commands.verify import _text as verified_text
from equiproof.verifier.reading import Reading
from equiproof.verifier.verify import _listed
from tests.cli.world import CONTEXT
from tests.support import AGE, INCOME, SEX, changed, spec_of

UNITS = {
    "age": "years",
    "years_employed": "years",
    "income": "EUR/month",
    "savings": "EUR",
    "debt": "EUR",
    "loan_amount": "EUR",
    "term": "months",
}
CHECKS = {
    "query": "your own data",
    "context": "nonce, policy and date",
    "min_radius": "radius is large enough",
}


def section(text, title):
    """Return the lines of a section of the verifier's report, without their bullets."""
    lines = text.splitlines()
    start = lines.index(title) + 1
    found = []
    for line in lines[start:]:
        if not line.startswith("  "):
            break
        found.append(line.strip())
    return found


def test_verify_says_in_words_what_was_proven(world, cli):
    """The report names the sensitive feature, the radius and the decision in one sentence that promises no more."""
    outcome, read = cli(*world.verify()), cli(*world.verify("--json")).document
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[:2] == ["VERIFIED", f"Decision: {read['label']}"]
    assert lines[2:4] == ["Not affected by: sex (female / male)", f"  {read['statement']}"]
    assert "Sensitive are only: sex; every other feature counts as an ordinary one" in lines
    for word in ("No change of sex", "no change of the other features", "this applicant", read["label"]):
        assert word in read["statement"]
    assert read["radius"] in read["statement"]


def test_verify_shows_a_list_as_a_list_and_names_as_names():
    """Nine listed ages do not read like all ages between them, and no name like the words beside it."""
    ages = ("18", "20", "25", "30", "35", "40", "50", "65", "75")
    spec = spec_of(changed(INCOME, name="income 5,000: any value"), SEX, changed(AGE, domain=ages))
    reading = Reading.of(spec, 1, 1 << 20)
    verified = SimpleNamespace(
        reading=reading, spec=spec, made=(_listed(spec),), not_made=(), identity="0", checker="native"
    )
    lines = verified_text(verified, {"intervals": None, "ranges": None}).splitlines()
    assert "Not affected by: sex (f / m), age (9 listed values from 18 to 75; the list is below)" in lines
    assert '  "income 5,000: any value"  +- 11,900 EUR' in lines
    assert f"  + sex (f / m), age ({' / '.join(ages)})" in lines


def test_certify_tells_what_the_certificate_will(world, cli):
    """For one applicant, the plaintext search says how far each feature may move, in the words of the certificate."""
    outcome = cli(*world.certify())
    radius = cli(*world.certify("--json")).document["radius_squared"]
    features = Reading.of(world.owned.spec, 0, radius).features
    assert set(features) == {*UNITS, "education", "purpose"}
    lines = [line.split(maxsplit=1) for line in outcome.out.splitlines()]
    for name, moved in features.items():
        assert [name, moved] in lines


@pytest.mark.parametrize(("used", "capped", "hinted"), [(8, False, True), (7, False, False), (8, True, False)])
def test_a_key_that_is_full_may_prove_less_than_another(used, capped, hinted):
    """Where every region of the key is used, and the radius is not the largest stated, a larger key is suggested."""
    search = Search(0, 5, complete=True, capped=capped, slice_count=2, regions=(), thresholds=())
    evidence = SimpleNamespace(radius_squared=5, size=used)
    key = SimpleNamespace(shape=SimpleNamespace(capacity=8))
    proven = SimpleNamespace(search=search, evidence=evidence, seconds={}, key=key, spec=None)
    document = {"statement": "it", "capacity": 8, "certificate": "certificate.json", "query": "query.json"}
    said = proven_text(proven, document)
    assert ("a larger one might prove more" in said) == hinted


def test_verify_tells_the_radius_in_each_feature_own_unit(world, cli):
    """Without the query file, every feature has a line that says how far it alone may move, in its own unit."""
    outcome, read = cli(*world.verify(query=None)), cli(*world.verify("--json", query=None)).document
    assert read["intervals"] is None
    assert set(read["features"]) == {*UNITS, "education", "purpose"}
    for name, unit in UNITS.items():
        assert read["features"][name].startswith("+- ")
        assert read["features"][name].endswith(f" {unit}")
    for name, moved in read["features"].items():
        assert any(line.split() == [name, *moved.split()] for line in outcome.out.splitlines()), name


def test_verify_tells_an_applicant_its_own_value_and_interval(world, cli):
    """With the query file, every feature's line has the applicant's own value and the interval around it."""
    outcome, read = cli(*world.verify()), cli(*world.verify("--json")).document
    features = json.loads(world.query.read_bytes())["features"]
    assert set(read["intervals"]) == set(features)
    for name, text in read["intervals"].items():
        value = features[name]
        assert text.startswith(f"{value:,}: " if name in UNITS else f"{value}: ")
        assert any(line.split() == [name, *text.split()] for line in outcome.out.splitlines()), name
        if name in UNITS:
            low, _, high, *_ = text.partition(": ")[2].replace(",", "").split()
            moved = Decimal(read["features"][name].split()[1].replace(",", ""))
            assert Decimal(low) >= value - moved
            assert Decimal(high) <= value + moved
            assert Decimal(low) <= value <= Decimal(high)
            assert text.endswith(f" {UNITS[name]}")


def test_verify_says_what_the_context_is_and_which_options_are_left(world, cli):
    """A context that is met is shown value by value; a check that was not made names the option that makes it."""
    made = section(cli(*world.verify()).out, "Checked:")
    assert f"+ it was made for this context: {', '.join(f'{name} {value}' for name, value in CONTEXT.items())}" in made
    left = " ".join(section(cli(*world.verify(query=None, context=None)).out, "Not checked:"))
    assert all(f": {option})" in left for option in ("--query", "--context", "--min-radius"))


@pytest.mark.parametrize(
    "given", [(), ("query",), ("context",), ("query", "context"), ("query", "context", "min_radius")]
)
def test_verify_names_every_check_made_and_every_check_not_made(world, cli, given):
    """A check is listed as made exactly if what it needs was given, else as not made."""
    files = {name: getattr(world, name) if name in given else None for name in ("query", "context")}
    more = ["--min-radius", "0.001"] if "min_radius" in given else []
    outcome = cli(*world.verify(*more, **files))
    made, left = section(outcome.out, "Checked:"), section(outcome.out, "Not checked:")
    assert all(line.startswith("+ ") for line in made)
    assert all(line.startswith("- ") for line in left)
    for name, words in CHECKS.items():
        assert any(words in line for line in left) == (name not in given), name
    assert len(made) == 3 + len(given)
    document = cli(*world.verify("--json", *more, **files)).document
    assert [line[2:] for line in made] == document["checks_made"]
    assert [line[2:] for line in left] == document["checks_not_made"]


def test_verify_says_that_the_set_up_may_be_forged(world, cli):
    """Under a key of a single party the report says that forgeries were not ruled out."""
    left = section(cli(*world.verify()).out, "Not checked:")
    assert any("forge" in line and "single party" in line for line in left)


def test_verify_always_leaves_two_things_to_the_reader(world, cli):
    """One commitment for everybody, and proxies, are never said to be checked."""
    left = section(cli(*world.verify("--min-radius", "0.001")).out, "Not checked:")
    assert any("same commitment to everybody" in line for line in left)
    assert any("proxies" in line for line in left)


def test_setup_says_who_could_forge(world, cli, tmp_path):
    """A set-up warns that whoever ran it could forge proofs."""
    outcome = cli(*world.setup(tmp_path / "keys", capacity=4))
    assert outcome.code == 0
    assert "single-party" in outcome.out
    assert "could forge" in outcome.out


def test_commit_says_what_to_publish_and_what_to_hide(world, cli, tmp_path):
    """A commitment names both files and which of them is secret."""
    outcome = cli("commit", world.model, "--out", tmp_path)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert any("commitment.json: publish" in line for line in lines)
    assert any("opening.json: keep it secret" in line for line in lines)


def test_certify_says_what_each_capacity_proves(world, cli):
    """Certifying in plaintext lists every capacity with the radius that it proves."""
    outcome, read = cli(*world.certify()), cli(*world.certify("--json")).document
    for entry in read["capacities"]:
        line = f"K = {entry['capacity']} radius {entry['radius']}".split()
        assert any(found.split() == line for found in outcome.out.splitlines())


def test_prove_says_what_the_next_key_would_give(world, both, cli, tmp_path):
    """Where the key bounds a walk's radius, the report says so and names the next capacity."""
    outcome = cli(*world.prove(tmp_path, "--scheme", "traversal", keys=both))
    assert "capacity 16 would give" in outcome.out


def test_prove_says_where_the_radius_is_the_largest_there_is(world, cli, tmp_path):
    """Where branch and bound comes to its end, no key would give more, and the wrong decision beyond is reported."""
    document = cli(*world.prove(tmp_path, "--json")).document
    assert document["complete"]
    said = cli(*world.prove(tmp_path, "--force")).out
    assert f"  no larger radius holds; a wrong decision lies at distance {document['flip']}\n" in said


def test_no_command_promises_too_much(world, cli, tmp_path):
    """The words "no discrimination" appear nowhere, nor do "fair model" and "not discriminate"."""
    texts = [
        cli(*words).out
        for words in (
            ["--help"], ["verify", "--help"], ["prove", "--help"], world.verify(), world.certify(),
            world.certify(row=world.unfair), world.prove(tmp_path), world.verify("--json"),
        )
    ]  # fmt: skip
    texts.append(world.certificate.read_text())
    for text in texts:
        assert text
        for phrase in ("no discrimination", "not discriminate", "fair model", "free of discrimination"):
            assert phrase not in text.lower()
