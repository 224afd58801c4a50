"""`equiproof service model`: which committed models decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.service_common import USUAL, SettingsFile, day_of, note, now, transaction

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Add models, and list those that decide."""


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What requests call it: small letters, digits and hyphens.")],
    opening: Annotated[Path, typer.Option("--opening", help="The owner's secret opening file, from `commit`.")],
    keys: Annotated[Path, typer.Option("--keys", help="The folder of keys.")],
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, max=86400.0, help="The time budget of one search, in seconds.")
    ] = 60.0,
    settings: SettingsFile = USUAL,
    as_json: Json = False,
) -> None:
    """Have a model decide under a name from now on.

    The model that decided under this name before is retired; its decisions keep it. Nothing is started again. Keep
    opening and keys where they are: the service reads them there. With a model that the service knows, only the places
    of its files change. The link of a kept key is made beside the opening, unless it is there: do it again after each
    new kept key.
    """
    from equiproof.prover.keys import KeyStore
    from equiproof.prover.linking import published
    from equiproof.prover.opening import load_opening
    from equiproof.service.keys import links_beside
    from equiproof.service.models import Files, add_model
    from equiproof.service.policy import refuse_unreachable
    from equiproof.service.trail import Act

    opening = opening.resolve()
    keys = keys.resolve()
    owned = load_opening(opening)
    key = KeyStore(keys).find_for(owned)
    # Before the model decides: no certificate is made under a kept key whose link is not published.
    link = published(owned, key, links_beside(opening))
    with transaction(settings) as (known, session):
        row = add_model(session, name, Files(opening, keys, max_seconds), now())
        if row.retired is None:
            refuse_unreachable(name, owned.spec, known.policy)
        note(session, Act.MODEL, row.id, f"model={name}")
        document = {"model": row.name, "id": row.id, "commitment": row.commitment, "key": str(key.folder)}
        document |= {} if link is None else {"link": str(link.path)}
    is_retired = row.retired is not None
    begins = "is retired, and stays so; its decisions are shown with these" if is_retired else "decides from now on"
    text = f"MODEL {name} {begins}\n  commitment {document['commitment']}\n  key {key.folder}"
    text += "" if link is None else f"\n  link {link.path}: publish it with the commitment"
    tell(as_json=as_json, document=document, text=text)


@app.command("list")
def list_models(settings: SettingsFile = USUAL, as_json: Json = False) -> None:
    """List the models by name, retired ones as well."""
    from equiproof.service.models import all_models

    with transaction(settings) as (_, session):
        rows: list[dict[str, Any]] = [
            {
                "model": row.name,
                "commitment": row.commitment,
                "since": day_of(row.created),
                "retired": None if row.retired is None else day_of(row.retired),
            }
            for row in all_models(session)
        ]
    lines = [
        f"{row['model']}  {row['commitment'][:16]}...  "
        + (f"decides since {row['since']}" if row["retired"] is None else f"{row['since']} to {row['retired']}")
        for row in rows
    ]
    tell(as_json=as_json, document={"models": rows}, text="\n".join(lines) or "NO MODEL decides yet")
