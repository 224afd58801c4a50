"""The process that answers: several share an address where the settings say so, and a mistake is one line."""

import signal

import msgspec
import pytest

from equiproof.service.initial import Choice, make_service
from equiproof.service.settings import LenderSettings, Settings, SettingsError
from equiproof.service.starting import prepare
from equiproof.service.web import __main__ as process
from equiproof.service.web.__main__ import listener_of

SETTINGS = Settings(vault="v", lender=LenderSettings("Bank"))


def free():
    """Return an address that nothing listens at."""
    with listener_of(msgspec.structs.replace(SETTINGS, listen="127.0.0.1:0")) as one:
        return f"127.0.0.1:{one.getsockname()[1]}"


def test_an_address_is_one_processs():
    """A second one is told in one line that names it."""
    settings = msgspec.structs.replace(SETTINGS, listen=free())
    with listener_of(settings) as first:
        first.listen()
        with pytest.raises(SettingsError, match=rf"listen = '{settings.listen}': Address already in use"):
            listener_of(settings)


def test_several_share_one_where_the_settings_say_so():
    """Each has a socket of its own, and the system deals connections out."""
    settings = msgspec.structs.replace(SETTINGS, listen=free(), web_processes=2)
    with listener_of(settings) as first, listener_of(settings) as second:
        first.listen()
        second.listen()
        assert first.getsockname() == second.getsockname()


@pytest.mark.parametrize("listen", ["192.0.2.1:8080", "no-such-host.invalid:8080"])
def test_an_address_that_is_not_ours(listen):
    """One line, and no trace."""
    with pytest.raises(SettingsError, match="listen = "):
        listener_of(msgspec.structs.replace(SETTINGS, listen=listen))


@pytest.fixture
def _handlers():
    """The handlers of signals, and what is logged where, are afterwards as they were."""
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("_handlers")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_begins_is_not_lost(number, tmp_path, monkeypatch):
    """One that comes before the server listens to signals ends the process in order; nobody else would send another."""

    async def lost(_server):
        pytest.fail("the server serves, and nobody tells it again to stop")

    prepare(make_service(tmp_path / "service", Choice(LenderSettings("Bank"), free())))
    monkeypatch.setattr(process, "settle", lambda: signal.raise_signal(number))
    monkeypatch.setattr(process.logs, "configure", lambda: None)
    monkeypatch.setattr(process.uvicorn.Server, "main_loop", lost)
    assert process.main(str(tmp_path / "service" / "service.toml")) == 0
