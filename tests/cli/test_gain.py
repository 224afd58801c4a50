"""`equiproof gain`, and `setup --gain`: what is typed, what comes out, and every mistake in one line."""

import json
import random

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import gain_shape
from equiproof.prover import Opening
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from tests.conftest import CONTEXT
from tests.prover.additive_case import drawn
from tests.prover.ceremony.parties import ANNA, BEN, SIGNERS, VALUE, powers_ceremony
from tests.support import LOANS, applicant
from tests.vectors.vector import GOLDEN

OPTIONS = {
    "prove": {
        "--opening", "--keys", "--label", "--first", "--second", "--radius", "--least-gain", "--out", "--query-out",
        "--context", "--capacity", "--disclose", "--max-seconds", "--owner-secret", "--force", "--json",
    },
    "verify": {
        "--commitment", "--keys", "--query", "--context", "--min-gain", "--min-radius", "--label", "--first",
        "--second", "--transcript", "--signed-by", "--least-signers", "--link", "--checker", "--json",
    },
}  # fmt: skip

PROVEN = {
    "verdict", "statement", "label", "first", "second", "gain", "gain_here", "least_gain", "logit_fraction_bits",
    "radius", "radius_squared", "capacity", "leaves", "constraints", "proof_bytes", "certificate_bytes", "seconds",
    "certificate", "query",
}  # fmt: skip

COMPARED = ("--label", "declined", "--first", "sex=m", "--second", "sex=f")


class Owner:
    """A folder with an owner's files, and the words of the owner's commands."""

    def __init__(self, folder, gains):
        self.folder, self.keys = folder, gains.key.folder.parent
        for name, data in {"opening": gains.opening.secret(), "commitment": gains.opening.public()}.items():
            (folder / f"{name}.json").write_bytes(data)
        for name, data in {"row": applicant(LOANS, random.Random(3)), "context": CONTEXT}.items():
            (folder / f"{name}.json").write_text(json.dumps(data))
        self.gain, self.query = folder / "gain.json", folder / "query.json"

    def prove(self, *more, opening=None, keys=None, compared=COMPARED, radius=("--radius", "0.2")):
        """Return the words of a proof."""
        at = ["--opening", opening or self.folder / "opening.json", "--keys", keys or self.keys]
        out = ["--out", self.gain, "--query-out", self.query, "--context", self.folder / "context.json"]
        return ["gain", "prove", self.folder / "row.json", *at, *compared, *radius, *out, *more]

    def verify(self, *more, file=None):
        """Return the words of a verification."""
        at = ["--commitment", self.folder / "commitment.json", "--keys", self.keys]
        return ["gain", "verify", file or self.gain, *at, *more]


@pytest.fixture
def owner(tmp_path, gains):
    """The files of an owner without a certificate yet."""
    return Owner(tmp_path, gains)


@pytest.fixture(scope="module")
def proven(tmp_path_factory, gains):
    """The files of an owner who proved a gain."""
    from equiproof.cli.main import run

    owner = Owner(tmp_path_factory.mktemp("proven"), gains)
    assert run([str(word) for word in owner.prove("--json")]) == 0
    return owner


def golden(name, *more):
    """Return the words that verify a published gain certificate."""
    folder = GOLDEN / name
    return [
        "gain",
        "verify",
        folder / "gain.json",
        "--commitment",
        folder / "commitment.json",
        "--keys",
        folder / "keys",
        *more,
    ]


def test_a_gain_is_proven_and_verified(cli, owner):
    """The owner sees the gain at the applicant's own data, and the applicant's verification says the same sentence."""
    told = cli(*owner.prove())
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[0].startswith("PROVEN For this applicant, and for everybody closer than 0.2")
    assert "at the applicant's own data the gain is" in lines[1]
    own = (
        "--query",
        owner.query,
        "--context",
        owner.folder / "context.json",
        "--min-radius",
        "0.2",
        "--min-gain",
        "-5",
    )
    found = cli(*owner.verify(*own, *COMPARED))
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[0] == lines[0].replace("PROVEN", "VERIFIED")
    assert "    + it compares sex m with sex f, and no other values\n" in found.out
    assert "your own data (give the query file" not in found.out


def test_the_documents(cli, owner, proven):
    """`--json` prints one object with these fields; gains beyond 2^53 stay exact."""
    document = cli(*owner.prove("--json", "--force")).document
    assert set(document) == PROVEN
    assert document["gain_here"] >= document["gain"]
    found = cli(*proven.verify("--json")).document
    assert set(found) == set(json.loads((GOLDEN / "gain" / "verified.json").read_bytes())) | {"checker"}
    assert found["least_gain"] == str(int(found["least_gain"]))


@pytest.mark.parametrize("checker", ["native", pytest.param("python", marks=pytest.mark.slow)])
def test_published_gains(cli, checker):
    """What is told of a published one is what every program that verifies tells."""
    words = (
        "--query",
        GOLDEN / "gain" / "query.json",
        "--context",
        GOLDEN / "gain" / "context.json",
        "--min-radius",
        "0.1",
    )
    found = cli(*golden("gain", *words, "--checker", checker, "--json")).document
    assert found == json.loads((GOLDEN / "gain" / "verified.json").read_bytes()) | {"checker": checker}


@pytest.mark.parametrize(
    ("name", "more", "reason"),
    [
        ("gain", ("--min-gain", "0.62"), "the gain is 0.619335, the policy requires 0.62"),
        ("gain-lower", ("--min-gain", "0"), "the gain is -0.250000, the policy requires 0"),
        ("gain", ("--min-radius", "0.6"), "the radius is 0.500000, the policy requires 0.6"),
        ("gain", ("--label", "granted", *COMPARED[2:]), "the gain is in declined, the policy requires 'granted'"),
        ("gain", (*COMPARED[:2], "--first", "sex=f", "--second", "sex=m"), "does not compare sex f with sex m"),
        ("gain", (*COMPARED[:2], "--first", "sex=m", "--second", "sex=x"), "name one of f, m: sex has no value 'x'"),
        (
            "gain-lower",
            (*COMPARED[:1], "reduced", "--first", "age=25", "--second", "age=60"),
            "value of gender is missing",
        ),
        ("gain", ("--query", GOLDEN / "loans" / "query.json"), "about other data than the query file"),
    ],
)
def test_what_is_not_enough_is_refused(cli, name, more, reason):
    """A policy that is not met ends with exit code 1 and its reason in one line."""
    assert cli(*golden(name, *more)).complaint(1, reason).startswith("refused: ")


def test_a_query_that_does_not_fit_is_malformed(cli, tmp_path):
    """Of the reader's own file the message has its name, of disclosed data that of the certificate."""
    query = json.loads((GOLDEN / "gain" / "query.json").read_bytes())
    wrong = query | {"features": query["features"] | {"housing": "tent"}}
    (tmp_path / "query.json").write_bytes(canonical_bytes(wrong))
    cli(*golden("gain", "--query", tmp_path / "query.json")).complaint(2, f"{tmp_path / 'query.json'}: query: ")
    certificate = json.loads((GOLDEN / "gain" / "gain.json").read_bytes()) | {"query": wrong}
    (tmp_path / "gain.json").write_bytes(canonical_bytes(certificate))
    words = golden("gain", "--query", GOLDEN / "gain" / "query.json")
    words[2] = tmp_path / "gain.json"
    cli(*words).complaint(2, f"{tmp_path / 'gain.json'}: query: ")


@pytest.mark.parametrize("demanded", ["0.1", "0"])
def test_no_demand_settles_the_unit(cli, demanded):
    """Whoever demands the sign alone is shown a number, too, and whose word its unit is."""
    assert "that the gain's unit is right" in cli(*golden("gain", "--min-gain", demanded)).out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["gain", "verify", GOLDEN / "loans" / "certificate.json"], "a certificate, want a gain certificate"),
        (["verify", GOLDEN / "gain" / "gain.json"], "verify it with `equiproof gain verify`"),
        (["letter", GOLDEN / "gain" / "gain.json"], "a gain certificate"),
        (["bundle", GOLDEN / "gain" / "gain.json"], "a gain certificate"),
    ],
)
def test_files_of_the_other_kind(cli, tmp_path, words, named):
    """Neither kind of certificate passes where the other one is wanted."""
    folder = GOLDEN / "gain"
    words += ["--commitment", folder / "commitment.json"]
    more = {
        "letter": ["--key", folder / "keys", "--lender", "L", "--out", tmp_path / "letter.html"],
        "bundle": ["--key", folder / "keys", "--out", tmp_path / "one.equiproof"],
    }.get(words[0], ["--keys", folder / "keys"])
    cli(*words, *more).complaint(2, named)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changed", "code", "named"),
    [
        ({"radius": ()}, 2, "want --radius"),
        ({"radius": ("--radius", "1", "--least-gain", "1")}, 2, "and not both"),
        ({"radius": ("--radius", "far")}, 2, "radius: 'far' is not a decimal number"),
        ({"radius": ("--radius", "40")}, 2, "the radius is not between 0 and"),
        ({"radius": ("--least-gain", "50")}, 4, "the gain at the person's own data is"),
        ({"compared": ("--label", "maybe", *COMPARED[2:])}, 2, "label 'maybe' is unknown"),
        ({"compared": (*COMPARED[:2], "--first", "sex", "--second", "sex=f")}, 2, "--first 'sex': want NAME=VALUE"),
        ({"compared": (*COMPARED, "--second", "sex=m")}, 2, "--second 'sex=m': 'sex' has a value already"),
        ({"compared": (*COMPARED[:2], "--first", "sex=m", "--second", "sex=x")}, 2, "second: name one of f, m: sex"),
        ({"compared": (*COMPARED[:2], "--first", "sex=m", "--second", "sex=m")}, 2, "are the same values"),
    ],
)
def test_mistakes_of_a_proof_are_one_line(cli, owner, changed, code, named):
    """Nothing is written, and the line says how to mend it."""
    cli(*owner.prove(**changed)).complaint(code, named)
    assert not owner.gain.exists()
    assert not owner.query.exists()


def test_places_are_looked_at_first(cli, owner):
    """A file in a folder's place, two options that name one file, and files that are there are reported at once."""
    words = owner.prove()
    place = words.index(owner.gain)
    words[place] = owner.folder / "context.json" / "gain.json"
    cli(*words).complaint(2, "context.json")
    words[place] = owner.query
    cli(*words).complaint(2, "--out and --query-out name the same file")
    owner.gain.write_text("kept")
    cli(*owner.prove()).complaint(2, "gain.json", "--force")
    assert owner.gain.read_text() == "kept"


def test_a_proof_needs_a_key_of_gains(cli, owner, tmp_path):
    """Keys of decisions are none; an additive model has none at all."""
    cli(*owner.prove("--capacity", "64")).complaint(2, "no key of gains for this model", "setup --gain")
    cli(*owner.prove(keys=tmp_path / "nowhere")).complaint(2, "no such folder of keys")
    additive = tmp_path / "additive.json"
    additive.write_bytes(Opening.of(drawn(LOANS, 1, 2, 1), LOANS, blinding=5).secret())
    cli(*owner.prove(opening=additive)).complaint(2, "gain: networks only")


def test_a_certificate_names_its_applicant(cli, owner):
    """Without a query file or disclosed data, nobody could tell whom it is about."""
    words = [word for word in owner.prove() if word not in ("--query-out", owner.query)]
    cli(*words).complaint(2, "--query-out is missing")
    assert cli(*words, "--disclose", "--json").document["query"] is None


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--min-gain", "much"), "--min-gain: 'much' is not a decimal number"),
        (("--label", "declined"), "--label, --first and --second go together"),
        (("--least-signers", "1"), "--least-signers: of whom"),
        (("--checker", "abacus"), "--checker: "),
    ],
)
def test_mistakes_of_a_verification_are_one_line(cli, more, named):
    """Options that mean nothing are misuse, not a refusal."""
    cli(*golden("gain", *more)).complaint(2, named)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--scheme", "trees", "--predicates", "4", "--slots", "2"), "--gain: networks only"),
        (("--scheme", "traversal", "--hidden", "2"), "--gain goes with --scheme branch"),
        (("--catalogue",), "--gain goes with no --catalogue"),
        (("--hidden", "2", "--capacity", "3"), "--capacity 3 is not a power of two"),
        (("--hidden", "2", "--capacity", "1"), "need --capacity 2 or more"),
    ],
)
def test_mistakes_of_a_set_up_are_one_line(cli, owner, more, named):
    """Keys of gains are of networks, with room for two leaves at least."""
    words = ("setup", "--gain", "--commitment", owner.folder / "commitment.json", "--keys", owner.folder / "keys")
    cli(*words, *more).complaint(2, named)
    assert not (owner.folder / "keys").exists()


@pytest.mark.slow
def test_a_set_up_of_gains(cli, owner):
    """The keys are of the opened model's sizes, `status` names them and what they prove, and a gain is proven."""
    keys = owner.folder / "keys"
    made = cli(
        "setup", "--gain", "--opening", owner.folder / "opening.json", "--keys", keys, "--capacity", "2", "--json"
    )
    assert "/gain-3+1-2-1-s2-k2-" in made.document["key"]
    (key,) = cli("status", owner.folder, "--json").document["keys"]
    assert (key["scheme"], key["capacity"]) == ("gain", 2)
    assert key["openings"] == [str(owner.folder / "opening.json")]
    assert cli(*owner.prove("--json", keys=keys, radius=("--radius", "0"))).document["leaves"] == 2
    found = cli("status", owner.folder, "--json").document
    assert (found["certificates"], found["gains"]) == ([], [str(owner.gain)])


@pytest.mark.slow
def test_a_key_of_gains_of_several_parties(cli, owner, tmp_path, monkeypatch):
    """No single party made it: begun by the hidden layers, finished, checked, proven under, verified by transcript."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))
    powers = powers_ceremony(tmp_path / "powers", ANNA, power=13, closed=True)
    conduct.finish_powers(powers)
    (tmp_path / "signers.txt").write_text("".join(f"{signer.verifier.text}\n" for signer in SIGNERS))
    (tmp_path / "ben.key").write_text(BEN.text + "\n")
    folder, keys = tmp_path / "key", tmp_path / "keys"
    named = ("--beacon-source", "drand quicknet", "--beacon-round", 1000, "--signers", tmp_path / "signers.txt")
    model = ("--commitment", owner.folder / "commitment.json", "--hidden", 2, "--gain", "--capacity", 2)
    begun = cli("ceremony", "new", folder, *named, "--powers", powers.path, *model, "--json")
    assert begun.document["shape"] == gain_shape(LOANS, (2,), 2).name
    for words in (("contribute", folder, "--signing-key", tmp_path / "ben.key"), ("beacon", folder, "--value", VALUE)):
        assert cli("ceremony", *words, "--json").code == 0
    made = cli("ceremony", "finish", folder, "--keys", keys, "--json").document
    accepted = ("--transcript", folder, "--powers", powers.path, "--accept", "--json")
    assert cli("keys", "check", made["key"], *accepted).code == 0
    assert cli(*owner.prove(keys=keys, radius=("--radius", "0"))).code == 0
    words = (*owner.verify("--json"), "--keys", keys)
    assert cli(*words, "--transcript", made["transcript"]).code == 0
    assert cli(*words).code == 1


@pytest.mark.parametrize("command", OPTIONS)
def test_help_explains_every_option(cli, command):
    """`equiproof gain COMMAND --help` has a line for every option."""
    told = cli("gain", command, "--help")
    assert (told.code, told.err) == (0, "")
    for name in OPTIONS[command]:
        assert f"\n  {name} " in told.out or f"\n  {name}\n" in told.out


def test_sensitive_values_of_an_applicant_are_named(cli, owner):
    """A proof of a gain names the sensitive values in the applicant's file, as `prove` does."""
    row = owner.folder / "row.json"
    row.write_text(json.dumps(json.loads(row.read_text()) | {"sex": "m"}))
    told = cli(*owner.prove())
    assert (told.code, told.err) == (0, f"leave out sex: sensitive, neither needed nor taken; {row}\n")
