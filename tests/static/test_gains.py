"""The static verifier of gain certificates says what Python says."""

import json
import re

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import fits_gain, gain_shape
from equiproof.cli.main import _commands, run
from tests.gain_cases import CASES, HELD, asked, drawn_gain, edges, expected_gain, judged, of_a_gains_key
from tests.static.build import said
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, GAIN, GOLDEN, KEY, QUERY, certificate_base
from tests.web.specs import drawn
from tests.web.test_agreement import TIMES, generator, written
from tests.web.test_gains import changed_gain, changed_shapes


def key_of(shape):
    """Return the text of a key's metadata, of this shape (as plain values)."""
    return canonical_bytes(json.loads(certificate_base("loans")[KEY]) | {"shape": shape}).decode()


def test_what_follows_from_a_spec(packages):
    """Digests, words and sentences of drawn statements are equal, of large gains, small ones and losses."""
    rng = generator("static gains")
    for _ in range(15 * (TIMES or 1)):
        spec = drawn(rng)
        shape = gain_shape(spec, (3, 2), 8)
        asked = drawn_gain(spec, shape, rng)
        words = asked | {"spec": written(spec), "data": key_of(msgspec.to_builtins(shape))}
        assert packages.value("holds_gain", data=words["data"], texts=edges(shape)) == HELD
        assert packages.value("gain_facts", **words) == expected_gain(spec, asked, shape), (spec, asked)


def test_shapes_that_fit(packages):
    """A shape of gains fits its spec, and with any number changed where Python says so; it never fits a certificate."""
    rng, fitting = generator("static shapes of gains"), 0
    for _ in range(5 * (TIMES or 1)):
        spec, hidden = drawn(rng), tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
        shape = gain_shape(spec, hidden, 64)
        for one in changed_shapes(msgspec.to_builtins(shape)):
            parsed = msgspec.convert(one, type(shape))
            wanted = fits_gain(parsed, spec, parsed.architecture.hidden)
            asked = {"spec": written(spec), "data": key_of(one)}
            found = packages.ask("fitting_gain", **asked)
            assert found.get("value", False) == wanted, (one, found)
            assert not (parsed.gains and packages.ask("fitting", **asked).get("value", False)), one
            fitting += wanted
    assert fitting >= 5


def test_every_case(packages):
    """Each case is verified, with the same words, or refused for the same reason in the same line."""
    for case in CASES.values():
        wanted, found = judged(case), packages.ask("gain", **asked(case))
        assert wanted.get("reason") == case.reason, case.name
        if case.reason in ("wrong-fields", "not-json"):  # of bytes and types each parser has words of its own
            found["message"] = wanted["message"]
        assert found == wanted, case.name


def test_a_key_of_gains_verifies_no_certificate(program, tmp_path):
    """A certificate whose proof holds under a key of gains is refused for the key's shape."""
    for name, data in of_a_gains_key().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    code, _, err = said(program, tmp_path / CERTIFICATE)
    assert code == 1
    assert "does not fit this spec" in err


def test_a_gain_is_no_certificate(packages):
    """What takes a certificate refuses a gain certificate, and the other way round, whatever its mark says."""
    gain, loans = CASES["published-gain"].file(GAIN), certificate_base("loans")[CERTIFICATE]
    for kind, data in (("certificate", gain), ("gain", loans)):
        for one in (data, data.replace(b"equiproof-gain", b"equiproof-certificate")):
            answer = packages.ask("read", kind=kind, data=one.hex())
            assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", "wrong-fields")


def test_changed_documents(packages):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    rng, seen = generator("static changed gains"), set()
    for _ in range(300 * (TIMES or 1)):
        data, wanted = changed_gain(rng)
        found = packages.ask("read", kind="gain", data=data.hex())
        assert (found.get("exception"), found.get("reason")) == (wanted and "CertificateFormatError", wanted), data
        seen.add(wanted)
    assert len(seen) >= 3


HERE, LOWER, LOANS = GOLDEN / "gain", GOLDEN / "gain-lower", GOLDEN / "loans"
OURS = ("--commitment", HERE / COMMITMENT, "--keys", HERE / "keys")
THEIRS = ("--commitment", LOWER / COMMITMENT, "--keys", LOWER / "keys")
COMPARED = ("--label", "declined", "--first", "sex=m", "--second", "sex=f")


@pytest.mark.parametrize(
    "words",
    [
        (HERE / GAIN, *OURS),
        (HERE / GAIN, *OURS, "--json"),
        (HERE / GAIN, *OURS, *COMPARED, "--min-gain", "0", "--min-radius", "0.1", "--query", HERE / QUERY),
        (HERE / GAIN, *OURS, "--context", HERE / CONTEXT, "--min-gain", "0.6", "--json"),
        (LOWER / GAIN, *THEIRS, "--min-gain", "-0.25"),
        (LOWER / GAIN, *THEIRS, "--query", LOWER / QUERY, "--context", LOWER / CONTEXT, "--json"),
        (LOWER / GAIN, *THEIRS, "--label", "reduced", "--first", "age=25", "--first", "gender=f", "--second", "age=25"),
        (LOWER / GAIN, *THEIRS, "--min-gain", "0"),
        (HERE / GAIN, *OURS, *COMPARED[:2], "--first", "sex=f", "--second", "sex=m"),
        (HERE / GAIN, *OURS, *COMPARED[:2], "--first", "sex=x", "--second", "sex=m"),
        (HERE / GAIN, *OURS, "--transcript", "0" * 64),
        (HERE / GAIN, *OURS[:2], "--keys", LOANS / "keys"),
        (HERE / GAIN, *THEIRS[:2], *OURS[2:]),
        (HERE / GAIN, *OURS, "--query", LOWER / QUERY),
        (HERE / GAIN, *OURS, "--context", HERE / QUERY),
        (HERE / QUERY, *OURS),
        (HERE / "nothing.json", *OURS),
        (HERE, *OURS),
        (LOANS / CERTIFICATE, *OURS),
    ],
    ids=range(19),
)
def test_it_says_what_the_command_says(program, words, capsys, monkeypatch):
    """The same answer to the byte, the same refusal, and the same exit code."""
    monkeypatch.setenv("COLUMNS", "80")
    code = run(["gain", "verify", *map(str, words), "--checker", "native"])
    out, err = capsys.readouterr()
    assert told(program, "gain", *words) == (code, out, err)


@pytest.mark.parametrize("file", [HERE / GAIN, HERE], ids=["file", "folder"])
def test_a_certificates_command_names_that_of_gains(program, file, capsys, monkeypatch):
    """Whoever gives a gain certificate to the command for certificates is told the other command."""
    monkeypatch.setenv("COLUMNS", "80")
    code = run(["verify", str(file)])
    assert told(program, file) == (code, *capsys.readouterr())
    assert code == 2


def told(program, *words):
    """Return what the binary says, with the names of Python's commands."""
    code, out, err = said(program, *words)
    err = err.replace("`equiproof-verify gain`", "`equiproof gain verify`")
    return code, out, err.replace("`equiproof-verify`", "`equiproof verify`")


def test_its_options_are_those_of_the_command(program):
    """It has every option of `gain verify` but the choice of a program, and those of every command."""
    command = _commands().commands["gain"].commands["verify"]
    wanted = {name[2:] for one in command.params for name in one.opts if name[:2] == "--"} | {"help"}
    found = re.findall(r"^  --([a-z-]+)", said(program, "gain", "--help")[1], re.MULTILINE)
    assert sorted(found) == sorted(wanted - {"checker", "log"})


def test_wrong_words(program):
    """What is wrong with the words of a command is one line, and ends with 2."""
    for words in (
        (), (HERE / GAIN,), OURS, (HERE / GAIN, "x", *OURS), (HERE / GAIN, *OURS, "--policy", "x"),
        (HERE / GAIN, *OURS, *COMPARED[:4]), (HERE / GAIN, *OURS, *COMPARED[:2], "--first", "sex", "--second", "sex=m"),
        (HERE / GAIN, *OURS, *COMPARED, "--first", "sex=m"), (HERE / GAIN, *OURS, "--min-gain", "much"),
        (HERE / GAIN, *OURS, "--min-radius", "-1"), (HERE / GAIN, *OURS, "--least-signers", "1"),
    ):  # fmt: skip
        code, out, err = said(program, "gain", *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words


def test_its_help_names_the_command(program):
    """Its help, and that of the program."""
    assert "Usage: equiproof-verify gain " in said(program, "gain", "--help")[1]
    assert "equiproof-verify gain --help" in said(program, "--help")[1]
