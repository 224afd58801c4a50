"""A box certificate for page and element: what somebody who was refused may change, in features of every kind."""

from __future__ import annotations

from datetime import date

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import additive_shape
from equiproof.verifier.documents import parse_key
from equiproof.verifier.opened_box import OpenedBox
from equiproof.verifier.words import Words
from tests.browser import checker
from tests.support import changed, spec_of
from tests.vectors.generate.words import AGE, DEBT, EDUCATION, INCOME, OPENED, PURPOSE, RATE, SEX
from tests.vectors.vector import CERTIFICATE, CONTEXT, KEY
from tests.web import box_files

SAVINGS = changed(DEBT, name="savings", missing=Missing())
GUARANTOR = changed(PURPOSE, name="guarantor", domain=("none", "parent", "partner"))
SPEC = spec_of(
    *(INCOME, DEBT, RATE, OPENED, EDUCATION, PURPOSE, AGE, SAVINGS, GUARANTOR, SEX),
    name="lending",
    labels=("refused", "granted"),
)
DAYS = (date(2014, 3, 15), date(2024, 3, 14))
ENDS = {
    "income": (2410, "12000"),
    "debt": (0, 1500),
    "rate": ("0.0333", 0.05),
    "opened": tuple((day - date(2000, 1, 1)).days for day in DAYS),
    "education": ("secondary", "bachelor"),
    "purpose": ("car", "furniture"),
    "age": (40, 40),
    "savings": (),
    "guarantor": ("none",),
}
OWN, OTHER = box_files.opened_box(ENDS), box_files.opened_box(ENDS | {"debt": (0, 1600)})
REBLINDED = box_files.opened_box(ENDS, 6)
LACKING = box_files.opened_box({name: ends for name, ends in ENDS.items() if name != "debt"})
REFUSED = 0


def said(language: str) -> dict[str, str]:
    """Return what stands beside each detail in a language, the details that are fixed last."""
    words = Words(language)
    to, other = (" to ", " or ") if language == "en" else (" bis ", " oder ")
    month = "{}\u00a0EUR/month"
    first, last = map(words.day, DAYS)
    return {
        "income": to.join(("2,410", month.format("12,000")))
        if language == "en"
        else f"2.410 bis {month.format('12.000')}",
        "debt": f"0{to}{'1,500' if language == 'en' else '1.500'}\u00a0EUR",
        "rate": f"0.0333{to}0.05\u00a0%" if language == "en" else "0,0333 bis 0,05\u00a0%",
        "opened": f"{first}{to}{last}",
        "education": f"secondary, vocational{other}bachelor",
        "purpose": f"car{other}furniture",
        "age": "40\u00a0years",
        "savings": {"en": "not stated", "de": "keine Angabe"}[language],
        "guarantor": "none",
    }


def contents(
    opened: OpenedBox | None = OWN, *, disclosed: bool = False, context: bool = False, **statement: int
) -> dict[str, bytes]:
    """Return the certificate of the box OWN and its companions by their names; `opened` is the opened box."""
    made = box_files.statement_of(SPEC, OWN, REFUSED, **statement)
    files = box_files.files_of(SPEC, OWN, made, disclosed=OWN if disclosed else None)
    files[CERTIFICATE] = files.pop(box_files.BOX)
    del files[box_files.OPENED]
    if opened is not None:
        files[box_files.OPENED] = canonical_bytes(opened)
    return files if context else {name: data for name, data in files.items() if name != CONTEXT}


def given(files: dict[str, bytes], *names: str) -> checker.Files:
    """Return files as the browser takes them, all of them unless some are named."""
    return [(name, checker.spelled(data)) for name, data in files.items() if not names or name in names]


def alone(box: OpenedBox) -> checker.Files:
    """Return an opened box as the browser takes it."""
    return checker.named(canonical_bytes(box), box_files.OPENED)


def under_another_key() -> dict[str, bytes]:
    """Return the files with a key that proves no boxes."""
    files = contents()
    key = canonical_bytes(box_files.metadata(additive_shape(SPEC, box_files.PREDICATES, 2, 8)))
    named = {"fingerprint": parse_key(key, KEY).fingerprint}
    return files | {
        KEY: key,
        CERTIFICATE: checker.with_fields(files[CERTIFICATE], lambda one: one["key"].update(named)),
    }


def under_another_label() -> dict[str, bytes]:
    """Return the files with another label in the statement alone."""
    files = contents()
    return files | {CERTIFICATE: checker.with_fields(files[CERTIFICATE], lambda one: one["statement"].update(label=1))}


def site() -> dict[str, tuple[str, str]]:
    """Return files of a lender's site, by path: those of the certificate, and another opened box."""
    files = contents() | {"other.json": canonical_bytes(OTHER)}
    return {f"/box/{name}": ("application/octet-stream", checker.spelled(data)) for name, data in files.items()}
