"""A provider of OpenID Connect on loopback: codes with PKCE, signed ID tokens, and every way to say them wrongly."""

import base64
import hmac
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

CLIENT, SECRET = "equiproof", "a-secret-of-the-client"


@dataclass
class Issuer:
    """What it says of the person who is there, and how; `asked` is each request that came, by its path."""

    key: ECKey
    host: str = "127.0.0.1"
    person: dict = field(default_factory=dict)
    claims: dict = field(default_factory=dict)
    header: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    codes: dict = field(default_factory=dict)
    returned: dict = field(default_factory=dict)
    now: object = time.time
    signing: object = None
    address: str = ""

    def authorize(self, query):
        """Return where a browser goes back to: the person has agreed."""
        asked = dict(parse_qsl(query))
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT)
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        back = {"code": code, "state": asked["state"], "iss": self.address} | self.returned
        query = urlencode({name: value for name, value in back.items() if value is not None})
        return f"{asked['redirect_uri']}?{query}"

    def token(self, body, authorization):
        """Return what the token endpoint answers: each code is good once, for whoever knows its verifier."""
        given = {name: values[0] for name, values in parse_qs(body).items()}
        if authorization:
            client = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        else:
            client = f"{given.get('client_id')}:{given.get('client_secret')}"
        asked = self.codes.pop(given["code"], None)
        if client != f"{CLIENT}:{SECRET}" or asked is None or given["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if create_s256_code_challenge(given["code_verifier"]) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}

    def id_token(self, nonce):
        """Return an ID token; what `claims` or `header` names as None is left out."""
        now = int(self.now())
        usual = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce}
        claims = {name: value for name, value in (usual | self.person | self.claims).items() if value is not None}
        header = {"alg": "ES256", "kid": self.key.kid} | self.header
        header = {name: value for name, value in header.items() if value is not None}
        if header["alg"] == "none" or isinstance(self.signing, bytes):
            text = ".".join(_encoded(json.dumps(one).encode()) for one in (header, claims))
            return f"{text}.{_encoded(hmac.digest(self.signing, text.encode(), 'sha256')) if self.signing else ''}"
        return jwt.encode(header, claims, self.signing or self.key, algorithms=[header["alg"]])

    def answer(self, method, path, query, body, authorization):
        """Return status and document, or where to go."""
        if path in self.answers:
            return self.answers[path]
        if path == "/.well-known/openid-configuration":
            named = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            return 200, {"issuer": self.address} | {name: f"{self.address}/{one}" for name, one in named.items()}
        if path == "/keys":
            return 200, KeySet([self.key]).as_dict()
        if path == "/authorize":
            return 303, self.authorize(query)
        assert (method, path) == ("POST", "/token")
        return self.token(body, authorization)


def _encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        issuer, where = self.server.issuer, urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        issuer.asked.append(where.path)
        status, said = issuer.answer(self.command, where.path, where.query, body, self.headers.get("authorization"))
        sent = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        if 300 <= status < 400:
            self.send_header("Location", said)
        self.end_headers()
        self.wfile.write(sent)

    do_POST = do_GET  # noqa: N815 -- the library's name

    def log_message(self, *_):
        pass


def serving(issuer):
    """Return a server of an issuer, which knows its address, running until `shutdown`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.issuer = issuer
    issuer.address = f"http://{issuer.host}:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server
