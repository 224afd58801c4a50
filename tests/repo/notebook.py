"""Run a notebook's cells in order, without a server, and give each the outputs that Jupyter would store.

Write the outputs into the notebook anew: MPLBACKEND=Agg python tests/repo/notebook.py examples/certify.ipynb --store
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def outputs(source: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell, and return what it prints, what it draws with pyplot, and its last expression."""
    tree, printed, last = ast.parse(source), io.StringIO(), None
    final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)  # noqa: S102  # the notebook is our own
        if final is not None:
            last = eval(compile(ast.Expression(final.value), "cell", "eval"), namespace)  # noqa: S307  # our own
    found = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    found += [_display(picture) for picture in _pictures()]
    return found if last is None else [*found, _result(last)]


def _pictures() -> list[str]:
    """Return the open figures as PNG in base64, and close them."""
    from matplotlib import pyplot as plt

    found = []
    for number in plt.get_fignums():
        stream = io.BytesIO()
        plt.figure(number).savefig(stream, format="png", dpi=72)
        found.append(base64.b64encode(stream.getvalue()).decode())
    plt.close("all")
    return found


def _display(picture: str) -> dict[str, Any]:
    """Return a picture as an output."""
    return {"data": {"image/png": picture}, "metadata": {}, "output_type": "display_data"}


def _result(value: Any) -> dict[str, Any]:
    """Return the value of a cell as an output."""
    data = {"text/html": value._repr_html_().splitlines(keepends=True), "text/plain": [repr(value)]}
    return {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}


def main(path: Path, *, store: bool) -> None:
    """Print the outputs of every cell with code as one JSON object by id, or store them in the notebook."""
    notebook, namespace = json.loads(path.read_text(encoding="utf-8")), {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = outputs("".join(cell["source"]), namespace)
    if store:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        print(json.dumps({cell["id"]: cell["outputs"] for cell in notebook["cells"] if "outputs" in cell}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), store="--store" in sys.argv)
