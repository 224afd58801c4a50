"""No bytes make a parser fail in another way than it says: one line, naming the file, of its own exception and reason.

Every run tries the corpus and 200 mutations of it, drawn as samples are; `EQUIPROOF_FUZZ=n` tries n times 1500 from
a fresh seed. An input that breaks a parser is written to the corpus and stays there, as a test.
"""

import hashlib
import os
import random
from pathlib import Path

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.errors import Reason
from tests.fuzz.mutator import mutated
from tests.fuzz.parsers import PARSERS, SUFFIX
from tests.sampling import day

CORPUS = Path(__file__).parent / "corpus"
ROUNDS, ALWAYS = 1500, 200
"""Mutations of a run with `EQUIPROOF_FUZZ`, for each time; and of all others, other ones on another day."""
CURVES, SLOW = 5, ("proof", "verifying-key", "certificates")
"""Parsers of curve points and of many documents take long: without `EQUIPROOF_FUZZ`, so many times fewer rounds."""

TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0"))


def kept(name):
    """Return the inputs that are kept for a parser."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]


def complaint(name, data, path):
    """Parse and return what is wrong with the way it ended, None where it ended as it should."""
    parser = PARSERS[name]
    try:
        parser.read(data, path)
    except parser.errors as error:
        text = str(error)
        if "\n" in text or not text.startswith(str(path)):
            return f"no line that names the file: {text[:200]!r}"
        if isinstance(error, CertificateFormatError | MalformedInputError) and error.reason not in set(Reason):
            return f"{error.reason!r} is not in the table of reasons: {text[:200]!r}"
        return None
    except BaseException as error:  # noqa: BLE001  # whatever else comes out is the fault that is looked for
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def keep(name, data):
    """Write an input to the corpus."""
    path = CORPUS / name / hashlib.sha256(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", PARSERS)
def test_honest_inputs_are_read(name, tmp_path):
    """The first seed of every parser is read: mutations start from what matters."""
    seeds = PARSERS[name].seeds()
    assert seeds
    PARSERS[name].read(seeds[0], tmp_path / f"input{SUFFIX.get(name, '.json')}")


@pytest.mark.parametrize("name", PARSERS)
def test_inputs_that_broke_a_parser_no_longer_do(name, tmp_path):
    """The corpus is read or refused as it should be."""
    path = tmp_path / f"input{SUFFIX.get(name, '.json')}"
    for data in kept(name):
        assert complaint(name, data, path) is None


@pytest.mark.parametrize("name", PARSERS)
def test_no_mutation_breaks_a_parser(name, tmp_path):
    """Mutations of seeds and corpus are read or refused as they should be."""
    path = tmp_path / f"input{SUFFIX.get(name, '.json')}"
    pool = PARSERS[name].seeds() + kept(name)
    rng = random.Random(None if TIMES else f"{day()} {name}")
    for _ in range(ROUNDS * TIMES or ALWAYS // (CURVES if name in SLOW else 1)):
        data = mutated(rng.choice(pool), rng.choice(pool), rng)
        wrong = complaint(name, data, path)
        assert wrong is None, f"{keep(name, data)}: {wrong}"
