"""What a form has sent, and whether a page of ours has sent it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from fastapi import Request

from equiproof.service.console.refusals import PageError

TYPE = "application/x-www-form-urlencoded"
MAX_FIELDS = 20

Fields = Mapping[str, str]


async def fields(request: Request) -> Fields:
    """Return the fields of a form, each once; raises PageError for anything else, and for another site's form.

    New lines, which browsers send as two characters, become one.
    """
    refuse_other_site(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != TYPE:
        raise PageError(415, "This is not a form", "Nothing was recorded.")
    body = await request.body()
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, True, True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        pairs = []
    fields = {name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in pairs}
    if not pairs or len(fields) != len(pairs):
        raise PageError(400, "This form cannot be read", "Nothing was recorded. Go back and send it again.")
    return fields


def refuse_other_site(request: Request) -> None:
    """Raise PageError for a request that a page of another origin has sent.

    Browsers say so themselves by Sec-Fetch-Site, older ones by Origin. A program that sends neither is no browser and
    has no cookie that somebody else could make it send. Each session's forms carry a token besides.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        ours = site == "same-origin"
    else:
        origin = request.headers.get("origin")
        own = {request.headers.get("host", ""), urlsplit(request.app.state.shared.settings.public_url).netloc}
        ours = origin is None or urlsplit(origin).netloc in own
    if not ours:
        raise PageError(403, "Another site sent this form", "Nothing was recorded.")
