"""What the verifier reads and what it holds are values: nothing changes one, and none has a field too many."""

import importlib
import pkgutil
from dataclasses import is_dataclass

import msgspec

import equiproof.verifier

OPEN = {"many.Row", "policy_file._Fields"}
"""Those that read some fields of a text whose others somebody else reads."""
CHANGING = {"many.Source"}
"""Those that count as they go."""


def kinds():
    """Yield the structs and the dataclasses of the room by their names."""
    for module in pkgutil.walk_packages(equiproof.verifier.__path__, "equiproof.verifier."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            if isinstance(kind, type) and kind.__module__ == module.name:
                yield f"{module.name.removeprefix('equiproof.verifier.')}.{name}", kind


def test_documents_are_values():
    """Each is frozen; one with an unknown field is refused."""
    found = {name: kind.__struct_config__ for name, kind in kinds() if issubclass(kind, msgspec.Struct)}
    assert len(found) > 30
    assert {name for name, settings in found.items() if not settings.frozen} == set()
    assert {name for name, settings in found.items() if not settings.forbid_unknown_fields} == OPEN


def test_what_is_held_is_values():
    """Policies, findings and verdicts are not changed once they are made."""
    found = {name: kind.__dataclass_params__ for name, kind in kinds() if is_dataclass(kind)}
    assert len(found) > 50
    assert {name for name, settings in found.items() if not settings.frozen} == CHANGING
