"""The plain-Python check of Groth16: what is no bytes, and keys that are refused.

What people would change is in tests/vectors, and what chance changes in `test_random_changes.py`.
"""

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import pairing
from tests.trapdoor import Trapdoor, digest_bytes
from tests.two_checks import CHECKS

KNOWN = Trapdoor()
KEY = KNOWN.key()
DIGEST = 7
PROOF = KNOWN.forge(DIGEST)


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(data):
    """Only bytes are checked: anything else is a fault of the caller's, with both checks."""
    for check in CHECKS.values():
        with check(KEY) as loaded:
            for words in ((data, PROOF.data()), (digest_bytes(DIGEST), data)):
                with pytest.raises(TypeError):
                    loaded.verify(*words)


def test_a_refused_key_stays_refused():
    """A key is judged anew each time it is refused, and a good one is read again and again."""
    for _ in range(2):
        with pytest.raises(MalformedInputError):
            pairing.VerifyingKey(KEY[:-1] + b"\0")
        pairing.VerifyingKey(KEY)
