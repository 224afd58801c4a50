"""A folder as an applicant has it: the published certificate, a receipt of its decision, and log proofs of now."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.receipt import Receipt
from tests.vectors.generate.log import AT, OTHERS, RECEIPTS, RECEIVED, REGISTER, RETIRED
from tests.vectors.vector import GOLDEN
from tests.verifier.logs import ANNA, BEN, CARL, LOG

LOANS = GOLDEN / "loans"


def write(folder: Path, receipt: Receipt = RECEIVED, days: int = 0) -> Path:
    """Write the files of the published certificate, and those of the log as witnesses saw it so many days ago."""
    shutil.copytree(LOANS, folder)
    then = int(time.time()) - days * 86400
    cosigners = ((ANNA, then), (BEN, then - 60))
    (folder / "certificate.tlog-proof").write_bytes(REGISTER.proof(AT, cosigners).data)
    (folder / "receipt.json").write_bytes(canonical_bytes(receipt))
    (folder / "receipt.tlog-proof").write_bytes(REGISTER.proof(RECEIPTS, cosigners).data)
    (folder / "retired.tlog-proof").write_bytes(REGISTER.proof(RETIRED, cosigners).data)
    (folder / "others.tlog-proof").write_bytes(REGISTER.proof(OTHERS, cosigners).data)
    (folder / "alone.tlog-proof").write_bytes(REGISTER.proof(AT).data)
    (folder / "witnesses").write_text("".join(f"{one.verifier.text}\n" for one in (ANNA, BEN, CARL)))
    return folder


def policy(folder: Path, **log: Any) -> Path:
    """Write a policy file about the log."""
    keys = [one.verifier.text for one in (ANNA, BEN, CARL)]
    demanded = {"key": LOG.verifier.text, "witnesses": keys, "least": 2, "max_days": 1, "owner": "Example Bank"} | log
    path = folder / "policy.log"
    path.write_text(json.dumps({"format": "equiproof-policy", "version": 2, "requires": {"log": demanded}}))
    return path


def witnessed(folder: Path, least: int = 2) -> list[Any]:
    """Return the options that pin log and witnesses."""
    return ["--log-key", LOG.verifier.text, "--witnesses", folder / "witnesses", "--least-witnesses", least]
