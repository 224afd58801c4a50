"""The process that answers: several share an address where the settings say so, and a mistake is one line."""

import msgspec
import pytest

from equiproof.service.settings import LenderSettings, Settings, SettingsError
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
