"""Builder of the cffi extension: declarations from equiproof.h, one include, nothing else."""

from __future__ import annotations

from pathlib import Path

from cffi import FFI

HERE = Path(__file__).absolute().parent
HEADER = HERE / "equiproof.h"


def declarations(header: str) -> str:
    """Return what cffi reads of the header: constants by name, so that the compiler supplies their values."""
    lines = []
    for line in header.splitlines():
        if line.startswith("#define EP_"):
            lines.append(f"#define {line.split()[1]} ...")
        elif not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def builder(module: str, folder: Path) -> FFI:
    """Return what compiles the binding as `module`, beside the shared library in `folder`."""
    ffi = FFI()
    ffi.cdef(declarations(HEADER.read_text()))
    ffi.set_source(
        module,
        '#include "equiproof.h"',
        include_dirs=[str(HERE)],
        library_dirs=[str(folder)],
        libraries=["equiproof"],
        extra_link_args=["-Wl,-rpath,$ORIGIN"],
    )
    return ffi


def build() -> None:
    """Compile ffi/_native beside the shared library, which it finds there at run time."""
    builder("equiproof.ffi._native", HERE).compile(tmpdir=str(HERE.parent.parent))


def for_wheel() -> FFI:
    """Return what compiles the binding of the wheel equiproof-native, whose files lie beside this one (native/)."""
    return builder("equiproof_native._native", HERE / "equiproof_native")


if __name__ == "__main__":
    build()
