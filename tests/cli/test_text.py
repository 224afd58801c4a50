"""What the commands say to people: what was proven, in which units, what was checked and what was not."""

import json
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest

from equiproof.certify.traversal.search import Search
from equiproof.cli.commands.prove import _text as proven_text
from equiproof.verifier.reading import Reading
from equiproof.verifier.words import for_terminal
from tests.cli.world import shell

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
    "query": ("your own data", "your own details are not in the file"),
    "context": ("nonce, policy and date", "the file names no application and no date"),
    "min_radius": ("radius is large enough", "You have named no minimum"),
}


def section(text, title):
    """Return the lines of a section of the verifier's report, without their bullets."""
    lines = text.splitlines()
    start = lines.index(title) + 1
    indent = len(title) - len(title.lstrip()) + 2
    found = []
    for line in lines[start:]:
        if not line.startswith(" " * indent):
            break
        found.append(line.strip())
    return found


def test_verify_says_three_sentences_first(world, cli):
    """Below the outcome stand the decision, what it does not depend on, and what could change; no number is in the
    spec's units, and what is technical comes with --verbose only."""
    outcome, read = cli(*world.verify()), cli(*world.verify("--json")).document
    assert outcome.code == 0
    lines, said = outcome.out.splitlines(), read["answer"]
    assert lines[0].startswith("The proof holds. Who made the key is open.")
    assert lines[2:5] == [for_terminal(sentence) for sentence in said["sentences"]]
    assert lines[2] == f"The lender’s model decided: {read['label']}."
    assert "does not depend on sex (female, male)" in lines[3]
    for technical in ("spec's units", read["radius"], read["certificate"], "key e"):
        assert technical not in outcome.out
    verbose = cli(*world.verify("--verbose")).out
    assert verbose.startswith("\n".join(lines[:-1]))
    for technical in (read["statement"], read["radius"], read["certificate"], read["key_fingerprint"]):
        assert technical in verbose


def test_verify_speaks_german(world, cli):
    """The answer comes in the language that is requested; another language is a wrong value."""
    assert cli(*world.verify("--language", "de")).out.startswith("Der Beweis stimmt.")
    assert cli(*world.verify("--language", "de", "--json")).document["answer"]["language"] == "de"
    cli(*world.verify("--language", "fr")).complaint(2, "--language", "'fr' is not one of en, de")


def test_refusals_say_what_they_mean_and_the_reason_behind_it(world, cli, tmp_path):
    """A certificate that is not accepted is not valid, not enough or none, in words, before the technical reason."""
    refused = cli(*world.verify(query=world.other_query)).complaint(1)
    assert refused.startswith("refused: This certificate is not valid. It is not about the details in your file. ")
    assert refused.endswith("Technical reason: the certificate is about other data than the query file\n")
    refused = cli(*world.verify("--min-radius", "9")).complaint(1)
    assert refused.startswith("refused: This certificate is not enough. It leaves less room than you asked for. ")
    path = tmp_path / "none.json"
    path.write_text("{}")
    refused = cli(*world.verify("--language", "de", certificate=path)).complaint(2, path)
    assert refused.startswith("equiproof: Diese Datei ist kein Zertifikat. Nichts wurde geprüft. Technischer Grund: ")
    assert "kein Zertifikat" not in cli(*world.verify(keys=tmp_path)).complaint(2, "holds no key")


def test_a_terminal_without_unicode_gets_plain_signs(world, monkeypatch):
    """Quotation marks, minus and no-break blanks are written in ASCII where nothing else can be shown."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    outcome = shell(*world.verify(query=None))
    assert "The lender's model decided" in outcome.out
    assert " +- " in outcome.out
    assert "\\" not in outcome.out


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
    proven = SimpleNamespace(search=search, evidence=evidence, seconds={}, key=key, spec=SimpleNamespace(levels=()))
    document = {"statement": "it", "capacity": 8, "certificate": "certificate.json", "query": "query.json"}
    said = proven_text(proven, document)
    assert ("a larger one might prove more" in said) == hinted


def test_verify_tells_the_radius_in_each_feature_own_unit(world, cli):
    """Without the query file, every feature has a line that says how far it alone may move, in its own unit."""
    outcome, read = cli(*world.verify(query=None)), cli(*world.verify("--json", query=None)).document
    assert read["intervals"] is None
    assert set(read["features"]) == {*UNITS, "education", "purpose"}
    bars = {for_terminal(bar["name"]): for_terminal(bar["span"]) for bar in read["answer"]["bars"]}
    assert set(bars) == {name.replace("_", " ") for name in read["features"]}
    for name, span in bars.items():
        assert f"  {name}  " in outcome.out
        assert any(line.startswith(f"  {name} ") and line.endswith(span) for line in outcome.out.splitlines()), name
    for name, unit in UNITS.items():
        span = bars[name.replace("_", " ")]
        assert span == "this value only" or (span.startswith("± ") and span.endswith(f"\u00a0{unit}"))


def test_verify_tells_an_applicant_its_own_value_and_interval(world, cli):
    """With the query file, every feature's line has the applicant's own value and the values around it."""
    outcome, read = cli(*world.verify()), cli(*world.verify("--json")).document
    features = json.loads(world.query.read_bytes())["features"]
    for name, bar in zip(features, sorted(read["answer"]["bars"], key=lambda bar: bar["name"]), strict=True):
        assert for_terminal(bar["name"]) == name.replace("_", " ")
        value = features[name]
        assert for_terminal(bar["own"]) == (f"{value:,}" if name in UNITS else value)
        row = f"yours: {for_terminal(bar['own'])}"
        assert any(row in line and line.endswith(for_terminal(bar["span"])) for line in outcome.out.splitlines())
        numbers = re.findall("[0-9][0-9,.]*", bar["span"])
        if len(numbers) == 2:
            low, high = (Fraction(number.replace(",", "")) for number in numbers)
            moved = Fraction(read["features"][name].split()[1].replace(",", "")) * Fraction(101, 100)  # three digits
            assert value - moved <= low <= value <= high <= value + moved


def test_verify_says_what_the_context_is_and_which_options_are_left(world, cli):
    """A context that is met is shown value by value; with --verbose, an open check names the option that makes it."""
    made = section(cli(*world.verify()).out, "Checked")
    assert "+ It was made for this decision: date 2026-01-31, policy tests." in made
    left = " ".join(section(cli(*world.verify("--verbose", query=None, context=None)).out, "  not checked:"))
    assert all(f": {option})" in left for option in ("--query", "--context", "--min-radius"))


@pytest.mark.parametrize(
    "given", [(), ("query",), ("context",), ("query", "context"), ("query", "context", "min_radius")]
)
def test_verify_names_every_check_made_and_every_check_not_made(world, cli, given):
    """A check is listed as made exactly if what it needs was given, else as not made, in plain and technical words."""
    files = {name: getattr(world, name) if name in given else None for name in ("query", "context")}
    more = ["--min-radius", "0.001"] if "min_radius" in given else []
    outcome, document = (cli(*world.verify(*more, flag, **files)) for flag in ("--verbose", "--json"))
    for made, left in (("Checked", "Not checked yet"), ("  checked:", "  not checked:")):
        assert all(line.startswith("+ ") for line in section(outcome.out, made))
        assert all(line.startswith(("- ", "! ")) for line in section(outcome.out, left))
    technical, plain = section(outcome.out, "  not checked:"), section(outcome.out, "Not checked yet")
    for name, (words, sentence) in CHECKS.items():
        assert any(words in line for line in technical) == (name not in given), name
        assert any(sentence in line for line in plain) == (name not in given), name
    read = document.document
    assert len(read["checks_made"]) == 3 + len(given)
    assert [line[2:] for line in section(outcome.out, "  checked:")] == read["checks_made"]
    assert [line[2:] for line in technical] == read["checks_not_made"]
    assert [line[2:] for line in plain] == [for_terminal(item["text"]) for item in read["answer"]["not_checked"]]


def test_verify_says_that_the_set_up_may_be_forged(world, cli):
    """Under a key of a single party the report warns that forgeries were not ruled out."""
    left = section(cli(*world.verify()).out, "Not checked yet")
    assert any(line.startswith("! ") and "forged" in line and "One party alone" in line for line in left)


def test_verify_always_leaves_five_things_open(world, cli):
    """The model in use, stand-ins, other values, the model's merit and who gets a certificate are never shown."""
    never = section(cli(*world.verify("--min-radius", "0.001")).out, "What no certificate shows")
    assert len(never) == 5
    assert any("stands in for sex" in line for line in never)


def test_setup_says_who_could_forge(setups):
    """A set-up warns that whoever ran it could forge proofs."""
    outcome = setups["text"]
    assert (outcome.code, outcome.err) == (0, "")
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
