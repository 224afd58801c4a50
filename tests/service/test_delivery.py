"""Messages go to the host that was meant, at an address that was looked at, over connections that stay open."""

import socket
import threading
from collections import Counter
from contextlib import contextmanager, suppress

import pytest

pytest.importorskip("h11", reason="the extra `service` is not installed")

from equiproof.service.delivery import KEPT_SECONDS, MAX_ANSWER_BYTES, Deliveries, DeliveryError
from equiproof.service.endpoints import EndpointError, endpoint
from equiproof.service.webhooks import signed

SECRET = b"s" * 32
PUBLIC = ["93.184.215.14"]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize(
    "url",
    [
        "http://bank.example/hook", "http://127.0.0.1.bank.example/", "ftp://bank.example", "https://", "bank.example",
        "https://user@bank.example/", "https://bank.example/#x", "https://bank.example/a b", "https://bank.example:x/",
        "https://bank.example/\r\nHost: x", "http://10.0.0.1/",
    ],
)  # fmt: skip
def test_addresses_that_are_none(url):
    """Only https, and http to this machine."""
    with pytest.raises(EndpointError, match=r"^want "):
        endpoint(url)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        *((host, "write an address as four decimal numbers") for host in (
            "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.01", "127.0.0.1.", "1.2.3.4.5", "0x",
            "93.184.215.0xe", "256.1.1.1", "bank.example.09",
        )),
        *((host, "leave out the zone behind %") for host in ("[fe80::1%eth0]", "[fe80::1%25eth0]", "[::1%lo]")),
        *((host, "name a host of the public network") for host in (
            "10.0.0.1", "169.254.169.254", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:93.184.215.14%2]"[:-3] + "]",
        ) if "93" not in host),
        ("bank.example\\.evil.example", "want a host of letters"),
    ],
)  # fmt: skip
def test_hosts_that_programs_read_differently(host, said):
    """Other forms of numbers, zones, and addresses inside are refused by name, each with what to write instead."""
    with pytest.raises(EndpointError, match=f"^{said}") as raised:
        endpoint(f"https://{host}/hook")
    assert host.strip("[]").replace("\\", "\\\\") in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "host",
    ["bank.example", "bank_1.example.", "93.184.215.14", "[2606:2800:21f:cb07::1]", "xn--bnk-pla.example", "1.de"],
)
def test_hosts_in_their_usual_form(host):
    """Names that hold digits, and addresses of the public network."""
    assert endpoint(f"https://{host}/hook").host == host.strip("[]")


def test_an_address_inside_will_do_where_that_is_meant():
    """As for a collector of traces; other forms of numbers will not."""
    assert endpoint("https://10.0.0.1:4318/v1/traces", inside=True).port == 4318
    with pytest.raises(EndpointError, match="four decimal numbers"):
        endpoint("https://10.1/v1/traces", inside=True)


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "172.16.0.1", "100.64.0.1", "0.0.0.1", "224.0.0.1",
        "::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1",
        "2002:a00:1::1", "2001:0:a00:1::1", "ff02::1", "fec0::1", "::10.0.0.1",
    ],
)  # fmt: skip
def test_a_name_that_leads_inside_is_not_called(address, monkeypatch):
    """Whichever of its addresses it is, and before anything is sent."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("called"))
    at = endpoint("https://bank.example/hook")
    for found in ([address], [*PUBLIC, address]):
        with pytest.raises(DeliveryError, match="private network"):
            Deliveries(lambda *_, found=found: found)(at, {}, b"{}")


def test_the_address_that_was_looked_at_is_the_one_that_is_called(monkeypatch):
    """A name that leads elsewhere the second time reaches nothing: it is asked once."""
    called, asked = [], []

    def connect(address, _):
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(DeliveryError, match="ConnectionRefusedError"):
        Deliveries(lambda *given: asked.append(given) or PUBLIC)(endpoint("https://bank.example/hook"), {}, b"{}")
    assert (called, asked) == ([(PUBLIC[0], 443)], [("bank.example", 443)])


@pytest.mark.parametrize("local", ["http://127.0.0.1:9/", "https://localhost:9/"])
def test_this_machine_is_this_machine(local, monkeypatch):
    """An endpoint on loopback is never looked for elsewhere."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("called"))
    with pytest.raises(DeliveryError, match="private network"):
        Deliveries(lambda *_: PUBLIC)(endpoint(local), {}, b"{}")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", None),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", None),
        (b"HTTP/1.1 200 OK\r\n", "not HTTP"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n", "answered 302"),
        (b"HTTP/1.1 500 x\r\n\r\n", "answered 500"),
        (b"SSH-2.0-x\r\n", "not HTTP"),
        (b"HTTP/1.1 2x0 a\r\n", "not HTTP"),
        (b"", "not HTTP"),
        (b"x" * 5000, "not HTTP"),
    ],
)
def test_only_a_success_counts(answer, said):
    """Nothing is followed, and nothing of the answer is repeated."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = []

        def answering():
            connection, _ = server.accept()
            with connection:
                seen.append(connection.recv(65536))
                connection.sendall(answer)

        thread = threading.Thread(target=answering)
        thread.start()
        at, deliveries = endpoint(f"http://127.0.0.1:{server.getsockname()[1]}/hook?a=1"), Deliveries()
        if said is None:
            deliveries(at, signed(SECRET, "id", 1, b"{}"), b"{}")
        else:
            with pytest.raises(DeliveryError, match=said):
                deliveries(at, {}, b"{}")
        thread.join()
        deliveries.close()
    assert seen[0].startswith(b"POST /hook?a=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    assert seen[0].endswith(b"\r\n\r\n{}")


class Listening:
    """An endpoint on this machine: each request of a connection gets the next of some answers, and then it ends."""

    def __init__(self, *answers):
        self.answers = answers
        self.requests, self.opened, self.asked = [], 0, Counter()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.at = endpoint(f"http://localhost:{self.server.getsockname()[1]}/hook")
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.opened += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with connection:
            for answer in self.answers:
                with suppress(ConnectionResetError):
                    if not (request := connection.recv(65536)):
                        return
                    self.requests.append(request)
                    connection.sendall(answer)

    def resolve(self, host, port):
        """Return this machine's address, and count who asks."""
        self.asked[host, port] += 1
        return ["127.0.0.1"]


@contextmanager
def listening(*answers, **given):
    """An endpoint with what sends to it."""
    at = Listening(*answers)
    deliveries = Deliveries(at.resolve, **given)
    try:
        yield at, lambda body=b"{}": deliveries(at.at, {"webhook-id": "1"}, body)
    finally:
        deliveries.close()
        at.server.close()


def test_one_connection_takes_many_messages():
    """With one look at the name; answers with and without a body, and with a word before them."""
    chunked = b"HTTP/1.1 202 a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    early = b"HTTP/1.1 102 a\r\n\r\nHTTP/1.1 204 b\r\n\r\n"
    with listening(OK, chunked, early, OK) as (at, send):
        for number in range(4):
            send(b"%d" % number)
        assert [request[-1:] for request in at.requests] == [b"0", b"1", b"2", b"3"]
        assert not any(b"close" in request.lower() for request in at.requests)
        assert (at.opened, sum(at.asked.values())) == (1, 1)


def test_a_refusal_leaves_the_connection_open():
    """The answer was whole: the next message goes the same way."""
    with listening(b"HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n", OK) as (at, send):
        with pytest.raises(DeliveryError, match="answered 500"):
            send()
        send()
        assert at.opened == 1


def test_messages_at_once_have_a_connection_each():
    """And these serve those that follow."""
    together = threading.Barrier(4)
    with listening(*[OK] * 12) as (at, _):
        deliveries = Deliveries(lambda *given: (together.wait(20), at.resolve(*given))[1])
        for _ in range(3):
            threads = [threading.Thread(target=deliveries, args=(at.at, {}, b"{}")) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(at.requests) == 12
        assert at.opened == 4
        deliveries.close()


def test_a_connection_that_the_other_side_has_closed_is_opened_anew():
    """The message is sent again, and taken once; a new connection that is closed without an answer is a failure."""
    with listening(OK) as (at, send):
        for _ in range(3):
            send()
        assert len(at.requests) == 3
        assert at.opened == 3
    with listening(b"") as (at, send):
        with pytest.raises(DeliveryError, match="not HTTP"):
            send()
        assert at.opened == 1


def test_an_answer_that_began_is_not_asked_for_again():
    """On an open connection too: the other side has the message, and what it says is no answer."""
    with listening(OK, b"HTTP/1.1 2") as (at, send):
        send()
        with pytest.raises(DeliveryError, match="not HTTP"):
            send()
        assert (len(at.requests), at.opened) == (2, 1)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (4 * MAX_ANSWER_BYTES) + b"x" * 2 * MAX_ANSWER_BYTES,
    ],
)
def test_a_connection_that_may_not_be_used_again_is_not(answer):
    """Where the other side says so, or says more than was asked, or more than anybody reads: the next one is new."""
    with listening(answer, OK) as (at, send):
        send()
        send()
        assert at.opened == 2


def test_a_name_that_has_moved_is_followed():
    """A connection is used for a minute; then the name is asked again, and its new address looked at."""
    now = [0.0]
    with listening(OK, OK, OK, monotonic=lambda: now[0]) as (at, send):
        send()
        now[0] = KEPT_SECONDS - 1
        send()
        assert sum(at.asked.values()) == at.opened == 1
        now[0] = KEPT_SECONDS
        send()
        assert sum(at.asked.values()) == at.opened == 2
