"""What `inspect` found as a picture: what each capacity of a key costs, and for how many applicants it is enough."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

COST, ENOUGH, SOFT = "#5b8cbd", "#14603f", "#4b5763"


def costs_drawn(document: Mapping[str, Any]) -> bytes:
    """Return a PNG picture of a document of `inspect` that has capacities.

    On the left the seconds that a proof takes and the constraints, on the right the share of the fair applicants of the
    sample whose full radius each capacity certifies; without a sample there is no right side. Of an additive model it
    shows the capacities of the most slots.
    """
    from matplotlib.figure import Figure

    slots, fair = document["capacities"][-1].get("slots"), document["sample"]["fair"]
    entries = [entry for entry in document["capacities"] if entry.get("slots") == slots]
    figure = Figure(figsize=(9.0 if fair else 5.0, 3.6), layout="constrained")
    panels = figure.subplots(1, 2 if fair else 1, squeeze=False)[0]
    places, names = range(len(entries)), [f"{entry['capacity']:,}" for entry in entries]
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
                f"{entry['full_radius']} of {fair}", (place, shares[place]), (0, -14), textcoords="offset points",
                ha="center", color=SOFT, fontsize=9,
            )  # fmt: skip
        panels[1].set(ylabel="% of the fair in the sample", ylim=(-12, 108), title="Full radius certified")
    for panel in panels:
        panel.set_xticks(places, names)
        panel.set_xlim(-0.6, len(entries) - 0.4)
        panel.set_xlabel("capacity of the key" if slots is None else f"capacity of a key of {slots} slots")
        panel.spines[["top", "right"]].set_visible(False)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110)
    return stream.getvalue()
