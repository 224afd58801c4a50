"""Pinned values under tests/golden: compared always, written only when asked for by EQUIPROOF_REGENERATE=golden."""

from __future__ import annotations

import json
import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "golden"


def assert_pinned(name: str, found: dict[str, object]) -> None:
    """Compare with tests/golden/<name>.json; JSON text is what counts, so large integers are given as text."""
    path = FOLDER / f"{name}.json"
    if os.environ.get("EQUIPROOF_REGENERATE") == "golden":
        path.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")
    assert json.loads(path.read_text()) == json.loads(json.dumps(found)), f"{path.name} is pinned"
