"""A folder of many applicants' folders and bundles, some of which a log that is pinned does not bear out."""

from __future__ import annotations

import shutil
from pathlib import Path

from equiproof.verifier.presented import present
from tests.support import changed
from tests.vectors.generate.log import RECEIVED
from tests.verifier.logged_folder import write

REASONS = {
    "anna/certificate.json": None,
    "bundle.equiproof": None,
    "bundle-of-others.equiproof": "other-entry",
    "carol/certificate.json": "other-entry",
    "dave/certificate.json": "log-too-old",
    "erin/certificate.json": "too-few-witnesses",
    "frank/certificate.json": "other-receipt",
    "grace/certificate.json": "other-entry",
    "heidi/certificate.json": "no-log-proof",
    "ivan/certificate.json": "not-a-log-proof",
    "judy/certificate.json": None,
    "kim.json": None,
    "lea.json": "no-log-proof",
}
"""What is to become of each file where the log is pinned with two witnesses and an age of two days."""

MALFORMED = ("not-a-log-proof", "wrong-files")
BY_THE_RECEIPT = ("frank/certificate.json", "grace/certificate.json")
"""Those refused for the receipt beside them: a log proof for all does not help them."""


def write_many(folder: Path) -> Path:
    """Write the folder; everybody's certificate is the published one."""
    for name in REASONS:
        if name.endswith("/certificate.json"):
            days, receipt = 3 if name.startswith("dave") else 0, RECEIVED
            if name.startswith("frank"):
                receipt = changed(RECEIVED, context_digest="0" * 64)
            if name.startswith("grace"):
                receipt = changed(RECEIVED, salt="00" * 32)
            write(folder / Path(name).parent, receipt, days)
    for name, other in (("carol", "others.tlog-proof"), ("erin", "alone.tlog-proof"), ("ivan", "receipt.json")):
        shutil.copy(folder / name / other, folder / name / "certificate.tlog-proof")
    (folder / "heidi" / "certificate.tlog-proof").unlink()
    for name in ("anna", "carol"):
        out = folder / ("bundle.equiproof" if name == "anna" else "bundle-of-others.equiproof")
        out.write_bytes(present(folder / name).bundle().to_bytes())
    shutil.copy(folder / "anna" / "certificate.tlog-proof", folder / "kim.tlog-proof")
    for name in ("kim.json", "lea.json"):
        shutil.copy(folder / "anna" / "certificate.json", folder / name)
    return folder
