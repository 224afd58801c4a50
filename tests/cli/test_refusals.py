"""What `verify` refuses: other contexts and applicants, policies that are not met, forgeries, edited certificates."""

import base64
import contextlib
import json
import shutil

import msgspec
import pytest

from equiproof.circuits.spec import SpecError
from equiproof.verifier import parse_certificate
from equiproof.verifier.reading import Reading
from tests.cli.world import CONTEXT, canonical, edits
from tests.support import changed


@pytest.fixture
def honest(world):
    """The honest certificate, parsed."""
    return parse_certificate(world.certificate.read_bytes(), "certificate.json")


@pytest.mark.parametrize("name", CONTEXT)
def test_a_context_is_not_good_for_another(world, cli, tmp_path, name):
    """A certificate that is replayed under another nonce, policy or date is refused."""
    path = tmp_path / "context.json"
    path.write_text(json.dumps(CONTEXT | {name: f"another {CONTEXT[name]}"}))
    assert "context" in cli(*world.verify(context=path)).complaint(1)


def test_a_context_with_more_or_less_is_another(world, cli, tmp_path):
    """A context with one entry more, or one less, is another context."""
    path = tmp_path / "context.json"
    for document in (CONTEXT | {"more": "1"}, {"nonce": CONTEXT["nonce"]}):
        path.write_text(json.dumps(document))
        cli(*world.verify(context=path)).complaint(1)


def test_the_order_of_a_context_does_not_matter(world, cli, tmp_path):
    """The same context in another order and spelling is the same."""
    path = tmp_path / "context.json"
    path.write_text(json.dumps(dict(reversed(CONTEXT.items())), indent=4))
    assert cli(*world.verify(context=path)).code == 0


def test_another_applicants_query_is_refused(world, cli):
    """A true certificate is refused where the data given is somebody else's."""
    assert "data" in cli(*world.verify(query=world.other_query)).complaint(1)


@pytest.mark.parametrize("edit", [{"age": 46}, {"blinding": "00" * 31 + "01"}])
def test_another_value_or_blinding_does_not_open(world, cli, tmp_path, edit):
    """A query file with one other value, or another blinding, does not open the commitment."""
    document = json.loads(world.query.read_bytes())
    if "age" in edit:
        document["features"]["age"] = 19 if document["features"]["age"] != 19 else 20
    else:
        document |= edit
    path = tmp_path / "query.json"
    path.write_bytes(canonical(document))
    cli(*world.verify(query=path)).complaint(1)


@pytest.mark.parametrize(("radius", "code"), [("0", 0), ("0.000001", 0), ("15.5", 1), ("999999", 1)])
def test_the_minimal_radius_decides(world, cli, radius, code):
    """A radius that is required and not reached is a refusal that names both."""
    outcome = cli(*world.verify("--min-radius", radius))
    if code:
        outcome.complaint(code, radius)
    assert outcome.code == code


@pytest.mark.parametrize("radius", ["", "x", "nan", "inf", "1e3", "0x1", " 1", "1,5", "-1", "9" * 60, "1\n2"])
def test_a_minimal_radius_that_is_none_is_misuse(world, cli, radius):
    """A required radius that is no decimal number from 0 is the caller's mistake, not the certificate's."""
    cli(*world.verify(f"--min-radius={radius}")).complaint(2, "min-radius")


@pytest.mark.parametrize("setup", ["ceremony", "universal"])
def test_a_required_set_up_decides(world, cli, setup):
    """A key of a single party is refused where a ceremony or a universal set-up is required."""
    assert "single-party" in cli(*world.verify("--setup", setup)).complaint(1, setup)


def test_a_required_single_party_is_met(world, cli):
    """Requiring what the key is passes, and removes no warning."""
    outcome = cli(*world.verify("--setup", "single-party"))
    assert outcome.code == 0
    assert "One party alone made the key, and could write false certificates." in outcome.out


@pytest.mark.parametrize("setup", ["", "Ceremony", "none"])
def test_a_set_up_that_is_none_is_misuse(world, cli, setup):
    """A kind of set-up that does not exist is the caller's mistake."""
    cli(*world.verify(f"--setup={setup}")).complaint(2, "ceremony", "universal")


def forge(world, honest, tmp_path, **fields):
    """Write a certificate whose statement has other numbers, with the words that go with them."""
    statement = msgspec.structs.replace(honest.statement, **fields)
    reading = Reading.of(world.owned.spec, statement.label, statement.radius_squared)
    path = tmp_path / "forged.json"
    path.write_bytes(changed(honest, statement=statement, reading=reading).to_bytes())
    return path


def test_a_larger_radius_is_refused(world, cli, honest, tmp_path):
    """A certificate with a larger radius, words and all, is refused by its proof, even by one grid step."""
    for more in (1, 3 * honest.statement.radius_squared):
        path = forge(world, honest, tmp_path, radius_squared=honest.statement.radius_squared + more)
        assert "proof" in cli(*world.verify(certificate=path)).complaint(1)


def test_a_smaller_radius_is_refused_too(world, cli, honest, tmp_path):
    """A proof is for one statement: a weaker one has no proof here."""
    path = forge(world, honest, tmp_path, radius_squared=honest.statement.radius_squared - 1)
    cli(*world.verify(certificate=path)).complaint(1)


def test_another_decision_is_refused(world, cli, honest, tmp_path):
    """A certificate for the other decision, words and all, is refused."""
    cli(*world.verify(certificate=forge(world, honest, tmp_path, label=1 - honest.statement.label))).complaint(1)


def test_words_that_are_not_the_numbers_are_refused(world, cli, honest, tmp_path):
    """A certificate whose words promise more than its numbers is refused for its words."""
    path = tmp_path / "forged.json"
    path.write_bytes(changed(honest, reading=changed(honest.reading, radius="9.000000")).to_bytes())
    assert "words" in cli(*world.verify(certificate=path)).complaint(1)


def test_an_unchanged_certificate_is_read(world, cli, honest, tmp_path):
    """The way in which these tests write certificates is not what is refused."""
    path = tmp_path / "certificate.json"
    path.write_bytes(canonical(json.loads(world.certificate.read_bytes())))
    assert path.read_bytes() == honest.to_bytes()
    assert cli(*world.verify(certificate=path)).code == 0


def judged(cli, words, path, document, allowed, named=True):
    """Write an edited document, run a command on it and return what is wrong with how it ended, or None."""
    path.write_bytes(document if isinstance(document, bytes) else canonical(document))
    outcome = cli(*words)
    if outcome.code not in allowed:
        return f"exit {outcome.code}: {outcome.err[-300:]}"
    if outcome.code == 0:
        return None
    try:
        outcome.complaint(outcome.code, *([path] if named and outcome.code == 2 else []))
    except AssertionError as error:
        return str(error)[:400]
    return None


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(3))
def test_every_edited_field_of_a_certificate_is_refused_or_malformed(world, cli, tmp_path, part):
    """No field of a certificate can be edited but the record of versions, which nobody trusts."""
    path, document = tmp_path / "edited.json", json.loads(world.certificate.read_bytes())
    words, wrong = world.verify(certificate=path), {}
    for what, edited in list(edits(document))[part::3]:
        allowed = (0, 1, 2) if what.startswith("tools") else (1, 2)
        if complaint := judged(cli, words, path, edited, allowed):
            wrong[what] = complaint
    assert not wrong


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", range(14))
def test_every_changed_byte_of_a_proof_is_refused_or_malformed(world, cli, tmp_path, part):
    """A proof with any one byte changed is refused or malformed."""
    path, document = tmp_path / "edited.json", json.loads(world.certificate.read_bytes())
    proof, words, wrong = base64.b64decode(document["proof"]), world.verify(certificate=path), {}
    for position in range(part, len(proof), 14):
        edited = bytearray(proof)
        edited[position] ^= 1 << (position % 8)
        text = base64.b64encode(bytes(edited)).decode()
        if complaint := judged(cli, words, path, document | {"proof": text}, (1, 2)):
            wrong[position] = complaint
    assert not wrong


@pytest.mark.sampled(2, each="name")
@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("name", ["commitment", "context"])
def test_every_edited_field_of_the_other_files_is_refused_or_malformed(world, cli, tmp_path, name, part):
    """No field of commitment or context can be edited either; a query that fits no longer is what may be named."""
    path, document = tmp_path / "edited.json", json.loads(getattr(world, name).read_bytes())
    words, wrong = world.verify(**{name: path}), {}
    for what, edited in list(edits(document))[part::3]:
        if complaint := judged(cli, words, path, edited, (1, 2), named=name != "commitment"):
            wrong[what] = complaint
    assert not wrong


def test_every_edited_field_of_a_query_is_refused_or_malformed(world, cli, tmp_path):
    """No field of a query can be edited, but for a number into one of the same grid point."""
    path, document = tmp_path / "edited.json", json.loads(world.query.read_bytes())
    spec, words, wrong = world.owned.spec, world.verify(query=path), {}
    for what, edited in edits(document):
        same = False
        with contextlib.suppress(SpecError, TypeError):
            same = spec.encode(edited.get("features", {})) == spec.encode(document["features"])
        allowed = (0, 1, 2) if same and what.endswith("= half") else (1, 2)
        if complaint := judged(cli, words, path, edited, allowed):
            wrong[what] = complaint
    assert not wrong


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(3))
def test_every_edited_field_of_a_key_is_refused_or_malformed(world, cli, tmp_path, part):
    """The fingerprint covers every field of a key's metadata: none can be edited."""
    folder = tmp_path / "keys" / "one"
    folder.mkdir(parents=True)
    shutil.copy(world.key / "verifying.key", folder)
    path, document = folder / "key.json", json.loads((world.key / "key.json").read_bytes())
    edited = [*edits(document), ("setup = ceremony", document | {"setup": "ceremony"})]
    words, wrong = world.verify(keys=tmp_path / "keys"), {}
    for what, one in edited[part::3]:
        path.write_bytes(canonical(one))
        outcome = cli(*words)
        if outcome.code not in (1, 2) or outcome.err.count("\n") != 1 or outcome.out:
            wrong[what] = (outcome.code, outcome.err[-300:])
        elif outcome.code == 2 and str(folder) not in outcome.err:
            wrong[what] = outcome.err[:300]
    assert not wrong


@pytest.mark.parametrize(
    "spelling",
    [
        lambda text: text + b"\n",
        lambda text: b" " + text,
        lambda text: json.dumps(json.loads(text), indent=2).encode(),
        lambda text: text.replace(b'"version":2}', b'"version":2.0}'),
        lambda text: text.replace(b'"version":2}', b'"version":2,"version":2}'),
        lambda text: text + text,
    ],
    ids=["newline", "space", "indented", "1.0", "twice", "doubled"],
)
def test_a_certificate_has_one_spelling(world, cli, tmp_path, spelling):
    """Any other spelling of the same certificate is malformed."""
    path = tmp_path / "spelled.json"
    path.write_bytes(spelling(world.certificate.read_bytes()))
    assert path.read_bytes() != world.certificate.read_bytes()
    cli(*world.verify(certificate=path)).complaint(2, path)
