"""The Go modules that are linked into what we build, and the licences that must go along with them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LICENCES = {
    "github.com/bits-and-blooms/bitset": "BSD-3-Clause",
    "github.com/blang/semver/v4": "MIT",
    "github.com/cenkalti/backoff/v5": "MIT",
    "github.com/cespare/xxhash/v2": "MIT",
    "github.com/consensys/gnark": "Apache-2.0",
    "github.com/consensys/gnark-crypto": "Apache-2.0",
    "github.com/fxamacker/cbor/v2": "MIT",
    "github.com/go-logr/logr": "Apache-2.0",
    "github.com/go-logr/stdr": "Apache-2.0",
    "github.com/google/pprof": "Apache-2.0",
    "github.com/hashicorp/golang-lru/v2": "MPL-2.0",
    "github.com/mattn/go-colorable": "MIT",
    "github.com/mattn/go-isatty": "MIT",
    "github.com/ronanh/intcomp": "Apache-2.0",
    "github.com/rs/zerolog": "MIT",
    "github.com/transparency-dev/formats": "Apache-2.0",
    "github.com/transparency-dev/merkle": "Apache-2.0",
    "github.com/transparency-dev/tessera": "Apache-2.0",
    "github.com/x448/float16": "MIT",
    "go.opentelemetry.io/auto/sdk": "Apache-2.0",
    "go.opentelemetry.io/otel": "Apache-2.0",
    "go.opentelemetry.io/otel/metric": "Apache-2.0",
    "go.opentelemetry.io/otel/trace": "Apache-2.0",
    "golang.org/x/crypto": "BSD-3-Clause",
    "golang.org/x/exp": "BSD-3-Clause",
    "golang.org/x/mod": "BSD-3-Clause",
    "golang.org/x/sync": "BSD-3-Clause",
    "golang.org/x/sys": "BSD-3-Clause",
    "k8s.io/klog/v2": "Apache-2.0",
    "stdlib": "BSD-3-Clause",
}
"""Go module -> its licence (SPDX), as read in its LICENSE when it came in; `stdlib` is Go's own library and runtime."""

_TEXTS = ("LICENSE", "LICENSE.*", "LICENCE*", "COPYING*", "NOTICE*", "PATENTS")


@dataclass(frozen=True)
class Module:
    """A Go module that is linked into what we build: path, version, and the folder of its sources."""

    path: str
    version: str
    folder: Path

    @property
    def licence(self) -> str:
        """Its licence; exits with one line for a module that is new here."""
        if self.path not in LICENCES:
            sys.exit(f"{self.path}: read its licence, and add it to LICENCES in scripts/packages/modules.py")
        return LICENCES[self.path]

    @property
    def texts(self) -> list[Path]:
        """The files that must go along with it; exits with one line where there is none."""
        found = sorted({path for pattern in _TEXTS for path in self.folder.glob(pattern) if path.is_file()})
        if not found:
            sys.exit(f"{self.path}: no text of a licence in {self.folder}")
        return found


def modules(go: str, folder: Path, package: str, **environment: str) -> list[Module]:
    """Return the modules of others that are linked into a package of the module in a folder, Go's own library first."""
    form = "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    listed = {
        line for line in _go(go, folder, "list", "-deps", "-f", form, package, **environment).splitlines() if line
    }
    version, root = _go(go, folder, "env", "GOVERSION", "GOROOT").splitlines()
    own = Module("stdlib", version.removeprefix("go"), Path(root))
    others = [line.split("\t") for line in sorted(listed)]
    return [own, *(Module(path, release, Path(place)) for path, release, place in others)]


def platform(go: str) -> str:
    """Return the system and the processor that the go command builds for, as in `linux-amd64`."""
    return "-".join(_go(go, Path.cwd(), "env", "GOOS", "GOARCH").split())


def licence_texts(linked: list[Module], folder: Path) -> dict[Path, Path]:
    """Return where the texts of licences go, below the folder of a package, and where each is."""
    return {
        folder / "licences" / module.path.replace("/", "_") / text.name: text
        for module in linked
        for text in module.texts
    }


def _go(go: str, folder: Path, *words: str, **environment: str) -> str:
    """Run the go command in the folder of a module."""
    settings = os.environ | environment
    return subprocess.run([go, *words], cwd=folder, env=settings, capture_output=True, text=True, check=True).stdout
