"""The versions that keys and certificates record."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

GNARK = "v0.16.1"


def tools() -> dict[str, str]:
    """Return the versions of this software and of its proof system, for the record only: nothing is trusted by them."""
    try:
        own = version("equiproof")
    except PackageNotFoundError:
        own = "uninstalled"
    return {"equiproof": own, "gnark": GNARK}
