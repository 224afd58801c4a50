"""The web server in front whose word on who somebody is counts: known by its address and by a secret, both."""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers

from equiproof.service.console.identities import Refusal, SignOnError, secret_of_proxy
from equiproof.service.origins import Origins
from equiproof.service.settings import ProxySignOnSettings


class Proxy:
    """The proxy of the settings; raises OSError and SecretError for a secret that cannot be used."""

    def __init__(self, settings: ProxySignOnSettings) -> None:
        self.settings = settings
        self._addresses = Origins(settings.proxies)
        self._secret = secret_of_proxy(settings).encode()

    def refuse_stranger(self, peer: str, headers: Headers) -> None:
        """Raise SignOnError unless a request comes from the proxy; what headers say of addresses does not count.

        `peer` is the address of the connection itself.
        """
        if not self._addresses.trusts(peer):
            raise SignOnError(Refusal.PROXY, "the connection is from no address of proxy_sign_on.proxies")
        given = headers.getlist(self.settings.secret_header)
        # A second line may be what a client has sent: the proxy adds to it where it should replace it.
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), self._secret):
            raise SignOnError(Refusal.PROXY, f"header {self.settings.secret_header}: want the secret, once")
