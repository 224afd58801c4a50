"""Honest states of those who watch a log, to start mutations from."""

from __future__ import annotations

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.holdings import Held
from equiproof.register.monitor import MONITOR, MonitorState
from equiproof.register.witness import WITNESS as WITNESS_MARK
from equiproof.register.witness import WitnessState
from tests.register.samples import LOG, WITNESS, digest


def _checkpoint() -> str:
    """Return a signed checkpoint of an empty log."""
    return LOG.sign(f"{LOG.name}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")


def monitor_states() -> list[bytes]:
    """Make the state of a monitor after some looks, and before the first one."""
    owners = {"North Bank": Held({digest(1): "2026-03-01"}, {digest(2): None, digest(3): digest(4)})}
    read = MonitorState(*MONITOR, LOG.verifier.text, None, _checkpoint(), 5, (digest(5), digest(6)), 2, owners)
    return [canonical_bytes(one) for one in (read, MonitorState(*MONITOR, LOG.verifier.text, "N", "", 0, (), 0, {}))]


def witness_states() -> list[bytes]:
    """Make the state of a witness that signed, and of one that did not."""
    states = ({LOG.name: _checkpoint()}, {})
    return [canonical_bytes(WitnessState(*WITNESS_MARK, WITNESS.verifier.text, logs)) for logs in states]
