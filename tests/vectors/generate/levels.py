"""Certificates under a spec that lists levels: those that show one, and those that show another radius."""

from __future__ import annotations

import base64
import json
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_hex
from equiproof.circuits.levels import squares
from equiproof.circuits.spec import Spec
from equiproof.verifier import parse_certificate, parse_commitment
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.reading import Reading
from tests.vectors.generate.cases import KNOWN, Named, certificate_vector, document, edited, spec_of
from tests.vectors.generate.false_certificates import FORGED, refused, renamed
from tests.vectors.vector import CERTIFICATE, COMMITMENT, KEY, Policy

LEVELS = ["0.1", "0.25", "1.5"]
WHY = "an exact radius is an equation about the model: certificates show one of the spec's levels"


def vectors() -> Named:
    """Yield every family."""
    yield from true()
    yield from false()


def true() -> Named:
    """A level of the spec, and 0, which always is one."""
    first, _, most = squares(LEVELS, spec_of().input_fraction_bits)
    for name, radius in (("least", first), ("largest", most), ("zero", 0)):
        files = proven(radius)
        yield f"level-{name}", certificate_vector("accept", f"a certificate of the level {name}", WHY, files=files)
    enough = Policy(min_radius="0.09")
    yield (
        "level-enough",
        certificate_vector("accept", "a level that is enough", WHY, policy=enough, files=proven(first)),
    )


def false() -> Named:
    """Other radii than levels with a proof that holds, a level that nobody proved, and words of an exact radius."""
    first, second, _ = squares(LEVELS, spec_of().input_fraction_bits)
    for name, radius in (
        ("above-a-level", first + 1),
        ("below-a-level", second - 1),
        ("below-the-least-level", 1),
        ("largest-of-any-spec", spec_of().max_radius_squared),
    ):
        what = f"a proven radius {name.replace('-', ' ')}"
        yield refused(f"level-{name}", what, WHY, Reason.NOT_A_LEVEL, files=proven(radius))
    why = "a level is shown only where the relation holds for it"
    whole = stated(second, listed())
    files = {CERTIFICATE: whole, COMMITMENT: levelled()}
    yield refused("level-not-proven", "a level with the proof of another radius", why, FORGED, files=files)
    files = proven(first)
    files[CERTIFICATE]["reading"]["at_least"] = False
    what, why = "a level in the words of an exact radius", "the radius may be larger than its level"
    yield refused("level-said-exactly", what, why, Reason.WORDS_DIFFER, files=files)


def levelled() -> Any:
    """Return the commitment file with levels in its spec."""
    return edited(COMMITMENT, "spec.levels", LEVELS)


def listed() -> Spec:
    """Return the spec with levels."""
    return parse_commitment(canonical_bytes(levelled()), COMMITMENT).spec


def stated(radius_squared: int, spec: Spec) -> Any:
    """Return the certificate with a radius under the spec with levels, and the words that go with it."""
    whole = document(CERTIFICATE)
    whole["statement"] |= {"spec_digest": to_hex(spec.digest), "radius_squared": radius_squared}
    reading = Reading.of(spec, whole["statement"]["label"], radius_squared)
    return whole | {"reading": json.loads(canonical_bytes(reading))}


def proven(radius_squared: int) -> dict[str, Any]:
    """Return the files of a certificate of this radius, whose proof holds under the key of the known set-up."""
    files = renamed(KNOWN.key())
    whole = stated(radius_squared, listed())
    whole["key"] = files[CERTIFICATE]["key"]
    shape = parse_key(canonical_bytes(files[KEY]), KEY).shape
    digest = parse_certificate(canonical_bytes(whole), CERTIFICATE).to_statement().digest(shape)
    whole["proof"] = base64.b64encode(KNOWN.forge(digest).data()).decode()
    return files | {CERTIFICATE: whole, COMMITMENT: levelled()}
