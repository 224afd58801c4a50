"""What can be wrong with a lot: files that nobody can use, and files that break a rule."""

from __future__ import annotations

from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED, REFUSED


class LotError(ValueError):
    """A period's folder, or a call, that cannot be used; one line that says what and where."""

    exit_code: ClassVar[int] = MISUSED


class LotRefusedError(LotError):
    """A period that breaks a rule of the lot: nothing of what it says may be believed."""

    exit_code: ClassVar[int] = REFUSED


class NotDrawnError(LotRefusedError):
    """A draw that cannot be made, since somebody has not done their part; the line names them."""


class BeaconError(LotRefusedError):
    """A signature that is not that of the beacon's round."""
