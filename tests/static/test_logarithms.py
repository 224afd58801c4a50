"""The Go verifier and Python agree on the encoding log: what each spec, value and radius comes to, and what is refused.

`EQUIPROOF_FUZZ` multiplies the number of tries, from fresh seeds.
"""

import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Feature, SpecError, checked
from equiproof.cli.main import run
from equiproof.prover import Opening, Prover
from equiproof.verifier import CertificateFormatError, parse_query
from equiproof.verifier.answer import Findings, KeyMaking, Pinned, answer
from equiproof.verifier.documents import QueryDocument
from tests.conftest import CAPACITY, CONTEXT
from tests.kept import kept_keys
from tests.static.build import said
from tests.support import SEX, key_for, network, spec_of
from tests.vectors.vector import CERTIFICATE, COMMITMENT, QUERY
from tests.web.logarithms import drawn_logarithms
from tests.web.test_agreement import TIMES, expected, generator, written

RATE = Feature("rate", "numeric", "log", False, mean="-4", scale="1.5", range=("0.001", "1"), offset="0")
DEBT = Feature("debt", "numeric", "log", False, mean="10", scale="2", unit="EUR", whole=True, offset="1")
KEPT = spec_of(RATE, DEBT, SEX, name="logarithms", use_ranges=True)


@pytest.fixture
def folder(tmp_path):
    """A folder with a certificate of a model that takes logarithms, and all that is known about it."""
    opening = Opening.of(network(KEPT, (2,), 6), KEPT, blinding=5)
    key = key_for(kept_keys(), KEPT, (2,), CAPACITY, "branch")
    with Prover(opening, key) as prover:
        certified = prover.prove({"rate": "0.02", "debt": 1500}, CONTEXT)
    for name, data in (
        (CERTIFICATE, certified.certificate.to_bytes()),
        (COMMITMENT, opening.public()),
        (QUERY, canonical_bytes(certified.query)),
    ):
        (tmp_path / name).write_bytes(data)
    shutil.copytree(key.folder.parent, tmp_path / "keys")
    return tmp_path


def test_a_certificate_of_logarithms(program, folder, capsys, monkeypatch):
    """The binary says what the command says: bars, intervals, factors and ranges; and refuses in the same words."""
    monkeypatch.setenv("COLUMNS", "80")

    def judge(words, wanted, parts):
        code = run(["verify", str(folder), *map(str, words), "--checker", "native"])
        out, err = capsys.readouterr()
        assert said(program, folder, *words) == (code, out, err), words
        assert code == wanted
        assert all(part in out + err for part in parts), out + err

    pinned = ("--commitment", folder / COMMITMENT, "--keys", folder / "keys")
    within = ("--ranges-within", "rate=0.01:0.5", "--ranges-within", "debt=0:1000000")
    held = "debt from -0.9999999999999999999457898 to 18,446,699,999,999,999,999 EUR"
    for words, wanted, parts in (
        ((), 0, ("rate  yours: 0.02   0.01536 to 0.02604", "debt  yours: 1,500  1,055 to 2,133\u00a0EUR")),
        (
            (*pinned, "--language", "de", "--query", folder / QUERY),
            0,
            ("0,01536 bis 0,02604", "1.055 bis 2.133\u00a0EUR"),
        ),
        (
            (*pinned, *within, "--verbose"),
            0,
            ("0.02: 0.01536 to 0.02604", "1,500: 1,055 to 2,133 EUR", "rate 0.01 to 0.5"),
        ),
        ((*pinned, *within, "--json"), 0, ("by a factor of 1.302", "by a factor of 1.421, counted from -1 EUR")),
        ((*pinned, *within[:2]), 1, (held, "names no range")),
        ((*pinned, *within[2:], "--ranges-within", "rate=0.0009:0.5"), 1, ("rate from 0.001 to 1", "0.0009 to 0.5")),
        ((*pinned, *within[:2], "--ranges-within", "debt=-1:1000"), 1, (held, "-1 to 1000")),
        ((*pinned, "--no-ranges"), 1, ("accepts no ranges",)),
    ):
        judge(words, wanted, parts)
    # Without the applicant's data, what is said holds of every value.
    (folder / QUERY).unlink()
    judge((), 0, ("divided or multiplied by up to 1.302\n", "multiplied by up to 1.421, counted from \u22121\u00a0EUR"))
    judge(("--language", "de"), 0, ("mit bis zu 1,302\n", "bis zu 1,421, gerechnet ab \u22121\u00a0EUR"))


def test_what_follows_from_logarithms(packages):
    """Columns, words, intervals and bars are equal, and refused specs and values are refused in the same words."""
    rng, seen = generator("logarithms"), {"specs": 0, "values": 0, "proven": 0, "moving": 0}
    for at in range(250 * (TIMES or 1)):
        spec, row = drawn_logarithms(rng)
        drawn = rng.randrange(spec.max_radius_squared)
        radius = rng.choice((0, rng.randrange(10**4), drawn, drawn >> rng.randrange(52)))
        document = QueryDocument("equiproof-query", 2, row, to_hex(rng.getrandbits(250)))
        text, language = canonical_bytes(document).decode(), ("en", "de")[at % 2]
        asked = {"spec": written(spec), "query": text, "label": 1, "radius": radius, "language": language}
        facts, said = packages.ask("facts", **asked), packages.ask("answer", **asked)
        try:
            checked(spec)
            query = parse_query(text.encode(), "query")
            wanted = {"value": expected(spec, 1, radius, query)}
            findings = Findings(spec, 1, radius, KeyMaking("single-party"), Pinned(None, key=False), query.features)
            words = {"value": answer(findings, language)}
            seen["proven"] += 1
            seen["moving"] += words["value"]["bars_note"] is not None
        except SpecError as error:
            wanted = words = {"exception": "error", "reason": None, "message": str(error)}
            seen["specs"] += 1
        except CertificateFormatError as error:
            wanted = words = {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
            seen["values"] += 1
        assert facts == wanted, asked
        assert said == words, asked
        message = wanted.get("message", "")
        assert len(message) <= 400, asked
        assert "\n" not in message, asked
    assert TIMES or min(seen.values()) >= 25, seen
