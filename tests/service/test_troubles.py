"""An outage is two lines, however long it takes."""

from equiproof.service.troubles import Troubles


def test_what_lasts_is_said_once():
    """When it begins, when it changes, when it is over; each thing by itself."""
    said = []
    troubles = Troubles(said.append)
    for _ in range(3):
        troubles.tell("proofs", "away")
    troubles.tell("receipts", "away")
    troubles.tell("proofs", "refused")
    for _ in range(2):
        troubles.over("proofs", "goes on")
    troubles.over("models", "goes on")
    troubles.tell("proofs", "refused")
    assert said == [
        "proofs: away", "receipts: away", "proofs: refused", "proofs: goes on", "proofs: refused",
    ]  # fmt: skip
