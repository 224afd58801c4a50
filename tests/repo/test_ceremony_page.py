"""docs/ceremony.md is run: three people, three folders, and files that go by mail; the key proves and verifies."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equiproof.certify.traversal.search import Search, search
from equiproof.prover import Opening
from equiproof.prover.ceremony.errors import Refusal
from equiproof.prover.ceremony.folder import STEP_SUFFIX
from tests.repo.test_readme import blocks
from tests.support import LOANS, ROOT, applicant, network

PAGE = (ROOT / "docs" / "ceremony.md").read_text(encoding="utf-8")
PEOPLE = ("anna", "ben", "carol")

SMALLER = (
    ("--power 14", "--power 12"),
    ("--hidden 4,2", "--hidden 1 --scheme traversal --capacity 2"),
)
"""The page's sizes, and those of the smallest relation: its ceremony takes a tenth of the time."""

PRIVATE = {"owner.json", "proving.key", "opening.json"}
"""What Anna does not send."""


class Laptop:
    """One person's folder and settings."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        scripts = Path(sys.executable).parent
        own = {name: str(folder / f".{name}") for name in ("EQUIPROOF_CHECKED", "EQUIPROOF_OWNER_SECRET")}
        path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, **own, "PATH": path, "PYTHONPATH": str(ROOT)}

    def run(self, command: str) -> str:
        """Run a line as a shell does; it must succeed."""
        for page, here in SMALLER:
            command = command.replace(page, here)
        command = command.replace("equiproof ", f"{sys.executable} -m equiproof ", 1)
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def receive(self, other: Laptop) -> None:
        """Save what the other one has of the ceremonies, the keys and the certificate, and nothing secret."""
        for name in ("powers", "key", "keys"):
            if (other.folder / name).exists():
                shutil.copytree(
                    other.folder / name,
                    self.folder / name,
                    dirs_exist_ok=True,
                    ignore=lambda _, names: {name for name in names if name in PRIVATE},
                )
        for name in ("certificate.json", "commitment.json"):
            if (other.folder / name).exists():
                shutil.copy(other.folder / name, self.folder)


def fair_model() -> tuple[Opening, dict[str, str | int]]:
    """Return a model of the smallest relation, and an applicant whom it treats fairly."""
    opening = Opening.of(network(LOANS, (1,), 3), LOANS, blinding=5)
    for seed in range(100):
        row = applicant(LOANS, random.Random(seed))
        most = LOANS.max_radius_squared
        found = search(opening.network, LOANS.encode(row), LOANS.domain_table, max_radius_squared=most, max_regions=4)
        if isinstance(found, Search) and found.radius_for(2) > 0:
            return opening, row
    raise AssertionError("no applicant is treated fairly")


@pytest.mark.slow
def test_three_people_can_follow_the_page(tmp_path: Path) -> None:
    """Every command of the page succeeds for the person it is for; the certificate is verified by the signer's word."""
    laptops = {name: Laptop(tmp_path / name) for name in PEOPLE}
    opening, row = fair_model()
    anna = laptops["anna"].folder
    (anna / "opening.json").write_bytes(opening.secret())
    (anna / "commitment.json").write_bytes(opening.public())
    (anna / "applicant.json").write_text(json.dumps(row))
    lines: dict[str, str] = {}
    outputs: dict[str, str] = {}
    for block in blocks(PAGE, "sh"):
        who, *commands = block.splitlines()
        person = laptops[who.removeprefix("# ").lower()]
        for command in commands:
            printed = outputs[" ".join(command.split()[:4])] = person.run(command)
            if " identity new " in command:
                lines[person.folder.name] = printed.splitlines()[-1]
        (anna / "signers.txt").write_text("".join(f"{line}\n" for line in lines.values()))
        if "ben" in lines:
            (laptops["carol"].folder / "trusted.txt").write_text(lines["ben"] + "\n")
        for other in laptops.values():
            if other is not person:
                other.receive(person)
    said = outputs["equiproof verify certificate.json --commitment"]
    assert said.startswith("The certificate is valid. ")
    assert "The key was made by 3 parties, in a ceremony whose record you accepted." in said
    checked = outputs["equiproof keys check keys/*"]
    assert "phase 1 has 3 contributions (anna, ben, carol)" in checked
    digest = re.search(r"^  transcript ([0-9a-f]{64})$", checked, re.MULTILINE)
    assert digest
    verify = "equiproof verify certificate.json --commitment commitment.json --keys keys"
    assert laptops["carol"].run(f"{verify} --transcript {digest.group(1)}").startswith("The certificate is valid. ")
    with pytest.raises(AssertionError, match=r"name the digest of the transcript .*: a ceremony made the key"):
        laptops["carol"].run(verify)


def test_the_page_explains_every_reason() -> None:
    """The table of refusals has one row for each reason, in their order."""
    table = PAGE.partition("## Why a transcript is refused")[2].partition("## Files")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == list(Refusal)


def test_the_page_speaks_of_files_that_there_are() -> None:
    """Names of files in the page are those of the code."""
    assert f"powers/0001{STEP_SUFFIX}" in PAGE
    assert {who for block in blocks(PAGE, "sh") for who in block.splitlines()[:1]} == {"# Anna", "# Ben", "# Carol"}
