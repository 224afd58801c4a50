#!/bin/sh
# The cube root of numpy 2.4.6 is not monotonic where numpy takes it from glibc 2.36, as on x86-64 without AVX-512: the value
# of one double is larger than that of the next double, by one unit in the last place. A threshold on a column of cube roots
# then divides the numbers behind it into more than two parts. On machines with AVX-512 numpy has code of its own; the script
# turns that off, and says so where the C library is another one.
# Exits 0 while this is so, 1 once it has changed, 2 where the C library is not the one that was tried.
#   PYTHON=python3.12 sh findings/numpy-cube-root.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv own
own/bin/pip install -q numpy==2.4.6
cat >program.py <<'PROGRAM'
import platform
import sys

import numpy as np

libc, release = platform.libc_ver()
print(f"numpy {np.__version__}, {libc} {release}")
if (libc, release) != ("glibc", "2.36"):
    sys.exit(2)
numbers = np.sort(-600 + np.geomspace(1e-9, 600, 500_000))
roots = np.cbrt(numbers)
falls = np.flatnonzero(np.diff(roots) < 0)
print(f"{len(falls)} of {len(numbers)} neighbors fall")
if not len(falls):
    sys.exit(1)
at = falls[0]
print(f"{numbers[at].hex()} -> {roots[at].hex()}, {numbers[at + 1].hex()} -> {roots[at + 1].hex()}")
sys.exit(0 if numbers[at] < numbers[at + 1] and roots[at] > roots[at + 1] else 1)
PROGRAM
NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" own/bin/python -W ignore program.py
