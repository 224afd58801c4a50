"""The Go verifier and Python agree on the encoding log: what each spec, value and radius comes to, and what is refused.

`EQUIPROOF_FUZZ` multiplies the number of tries, from fresh seeds.
"""

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import SpecError, checked
from equiproof.verifier import CertificateFormatError, parse_query
from equiproof.verifier.answer import Findings, KeyMaking, Pinned, answer
from equiproof.verifier.documents import QueryDocument
from tests.web.logarithms import drawn_logarithms
from tests.web.test_agreement import TIMES, expected, generator, written


def test_what_follows_from_logarithms(packages):
    """Columns, words, intervals and bars are equal, and refused specs and values are refused in the same words."""
    rng, seen = generator("logarithms"), {"specs": 0, "values": 0, "proven": 0, "moving": 0}
    for at in range(250 * (TIMES or 1)):
        spec, row = drawn_logarithms(rng)
        drawn = rng.randrange(spec.max_radius_squared)
        radius = rng.choice((0, rng.randrange(10**4), drawn, drawn >> rng.randrange(52)))
        made = QueryDocument("equiproof-query", 2, row, to_hex(rng.getrandbits(250)))
        text, language = canonical_bytes(made).decode(), ("en", "de")[at % 2]
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
