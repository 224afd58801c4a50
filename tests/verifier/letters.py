"""Letters about made-up certificates, for tests of the page: of ordinary, many, long and hostile words."""

from __future__ import annotations

import math
from datetime import date
from types import SimpleNamespace
from typing import Any

import msgspec

from equiproof.circuits.encodings.grid import Missing
from equiproof.circuits.spec import Feature, Spec
from equiproof.verifier.answer import Findings, KeyMaking, Pinned
from equiproof.verifier.letter import Sender, letter
from tests.support import SEX, changed, spec_of

NAME, MODEL = "5be2701f9ac64d08" * 4, 0x1E90
HOSTILE = "<img src=x onerror=fetch(1)>"
"""A name that a spec may have, and that must not become an element."""

SENDER = Sender("Example Lending", date(2026, 11, 20), "2026-11-0398", "https://lender.example/a")
EDUCATION = Feature(
    *("education", "categorical", "rank", False, "2", "1"),
    domain=("none", "secondary", "vocational", "bachelor", "master"),
)


def number(name: str, **fields: Any) -> Feature:
    """Return a whole number with a range."""
    known = {"encoding": "scaled", "mean": "40000", "scale": "20000", "unit": "EUR/month", "range": ("0", "120000")}
    return Feature(name, "numeric", sensitive=False, **(known | {"whole": True} | fields))


def sized(count: int, longer: str = "") -> Spec:
    """Return a spec of so many features, an ordered category last; `longer` ends every name."""
    numbers = [number(f"monthly_amount_{place}{longer}") for place in range(count - 1)]
    return spec_of(*numbers, changed(EDUCATION, name=f"education{longer}"), SEX)


def own_of(spec: Spec) -> dict[str, str | int]:
    """Return values in the middle of what is possible."""
    return {feature.name: 55_000 if feature.kind == "numeric" else feature.domain[2] for feature in spec.plain_features}


SPECS = {
    "ordinary": sized(9),
    "unlisted": spec_of(number("income", range=None), EDUCATION, SEX),
    "logarithms": spec_of(
        number("income", encoding="log", offset="1", mean="15", scale="2"),
        number("debt", encoding="log", offset="0", mean="14", scale="1", range=None, whole=msgspec.UNSET),
        SEX,
    ),
    "dated": spec_of(
        *(
            number(f"{event}_on", mean="50000", scale="9000", unit="days", range=("9000", "99000"), start="1850-09-01")
            for event in ("opened", "first_employed", "last_moved")
        ),
        SEX,
    ),
    "twelve": sized(12),
    "thirteen": sized(13),
    "sixty": sized(60),
    "hundreds": sized(400),
    "long": sized(12, "_of_all_the_accounts_in_any_country"),
    "longest": spec_of(number("income"), changed(SEX, domain=tuple(f"{place} " + "w" * 190 for place in range(6)))),
    "hostile": spec_of(
        number(HOSTILE),
        changed(EDUCATION, domain=(HOSTILE, "&amp;", "</ul><script>")),
        changed(SEX, name="<b>sex", domain=("</bdi>f", "m")),
        labels=("<i>refused", "granted & more"),
    ),
    "thin": spec_of(number("income", missing=Missing()), EDUCATION, SEX),
    "lossy": changed(sized(3), allow_loss=True),
    "wide": sized(12, "\u6708\u6536\u5165\u91d1\u989d"),
    "states": spec_of(
        number("income"), changed(SEX, name="state", domain=tuple(f"state number {place}" for place in range(51)))
    ),
}


def made(name: str, language: str = "en", *, radius: float = 0.3, sender: Sender = SENDER, **fields: Any) -> str:
    """Return the letter about a made-up certificate of a spec above."""
    spec = SPECS[name]
    lost = math.isqrt(spec.own_columns - 1) + 1  # what real values lose to rounding
    squared = (round(radius * spec.scale_unit) + lost) ** 2
    known = {"query": own_of(spec), "query_found": True, "key": KeyMaking("single-party"), "label": 0}
    found = Findings(spec, radius_squared=squared, pins=Pinned(None, key=False), **(known | fields))
    verified: Any = SimpleNamespace(identity=NAME, statement=SimpleNamespace(model_commitment=MODEL))
    return letter(verified, found, sender, language)
