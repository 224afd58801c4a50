"""The benchmark of webhooks counts every message at the endpoint."""

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_webhooks
from bench.harness import BenchError
from bench.log import PROGRAM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.is_file(), reason="no equiproof-log: `make log` builds it"),
]

ASKED = service_webhooks.Question(points=100, seconds=0.01)


def test_every_change_comes_once():
    """To the endpoint of a service's real process, over few connections."""
    found = service_webhooks.told(ASKED, "sqlite")
    assert found["messages"] == 100
    assert 1 <= found["connections"] <= 16
    shown = service_webhooks.rates({"question": ASKED.as_data(), "parts": {"sqlite": found}})
    assert shown.splitlines()[2].startswith("| sqlite | 10 | 100 |")


def test_a_message_in_another_order_is_no_result(monkeypatch):
    """Nor is one too many, or one that is missing."""
    received = service_webhooks._received

    async def turned(place, asked):
        receiver = await received(place, asked)
        receiver.messages.reverse()
        return receiver

    monkeypatch.setattr(service_webhooks, "_received", turned)
    with pytest.raises(BenchError, match="100 messages about 50 decisions, not each once"):
        service_webhooks.told(ASKED, "sqlite")
