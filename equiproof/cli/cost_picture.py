"""What `inspect` found as a picture: what each capacity of a key costs, and for how many applicants it is enough."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

COST, ENOUGH, SOFT = "#5b8cbd", "#14603f", "#4b5763"


def of_largest_room(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the capacities of the most slots and rows: of a network, which has neither, all of them."""
    return [entry for entry in entries if _room(entry) == _room(entries[-1])]


def _room(entry: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the slots and rows of a capacity."""
    return entry.get("slots"), entry.get("rows")


def _capacity_of(entry: Mapping[str, Any]) -> str:
    """Name the axis of capacities."""
    slots, rows = _room(entry)
    if slots is None:
        return "capacity of the key"
    return f"capacity of a key of {slots} slots" + ("" if rows is None else f" and {rows} rows")


def costs_drawn(document: Mapping[str, Any]) -> bytes:
    """Return a PNG picture of a document of `inspect` that has capacities.

    On the left the seconds that a proof takes and the constraints, on the right the share of the fair applicants of the
    sample whose full radius each capacity certifies; without a sample there is no right side. Of a score it shows the
    capacities of the most slots and rows.
    """
    from matplotlib.figure import Figure

    entries = of_largest_room(document["capacities"])
    fair = document["sample"]["fair"]
    figure = Figure(figsize=(9.0 if fair else 5.0, 3.6), layout="constrained")
    panels = figure.subplots(1, 2 if fair else 1, squeeze=False)[0]
    places = range(len(entries))
    names = [f"{entry['capacity']:,}" for entry in entries]
    seconds = [entry["prove_seconds"] for entry in entries]
    bars = panels[0].bar(places, seconds, color=COST)
    panels[0].bar_label(bars, [f"{entry['constraints']:,}" for entry in entries], color=SOFT, fontsize=9, padding=2)
    panels[0].set(ylabel="seconds of a proof on two cores", title="Cost; above the bars: constraints")
    panels[0].margins(y=0.15)
    if fair:
        shares = [100 * entry["full_radius"] / fair for entry in entries]
        panels[1].plot(places, shares, "o-", color=ENOUGH)
        for place, entry in zip(places, entries, strict=True):
            panels[1].annotate(
                f"{entry['full_radius']} of {fair}",
                (place, shares[place]),
                (0, -14),
                textcoords="offset points",
                ha="center",
                color=SOFT,
                fontsize=9,
            )
        panels[1].set(ylabel="% of the fair in the sample", ylim=(-12, 108), title="Full radius certified")
    for panel in panels:
        panel.set_xticks(places, names)
        panel.set_xlim(-0.6, len(entries) - 0.4)
        panel.set_xlabel(_capacity_of(entries[-1]))
        panel.spines[["top", "right"]].set_visible(False)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110)
    return stream.getvalue()
