#!/bin/sh
# Usage: preflight.sh PYTHON CC
# Prints one line about the first thing a fresh machine lacks, nothing when all is there. The exit status is 0 either
# way: the Makefile turns the line into its own single error message.
set -eu
python=$1
cc=$2

missing() {
    printf '%s\n' "$1"
    exit 0
}

version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) ||
    missing "Python 3.11 or newer is missing: apt install python3 python3-venv python3-dev (Debian), dnf install python3 python3-devel (Fedora), brew install python (macOS)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    missing "Python 3.11 or newer is needed, $python is $version: install a newer one by apt (Debian), dnf (Fedora) or brew (macOS) and name it, as in: make PYTHON=python3.12"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    missing "Python's venv module is missing: apt install python3-venv (Debian), dnf install python3 (Fedora), brew install python (macOS)"

# CC may carry options, so it is split into words on purpose.
# shellcheck disable=SC2086
compiles() {
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" |
        $cc -I"${2:-.}" -fsyntax-only -x c - >/dev/null 2>&1
}

{ [ -n "$cc" ] && compiles stdlib.h; } ||
    missing "A C compiler is missing: apt install gcc libc6-dev (Debian), dnf install gcc (Fedora), xcode-select --install (macOS)"
compiles Python.h "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" ||
    missing "Python's C headers are missing: apt install python3-dev (Debian), dnf install python3-devel (Fedora), brew install python (macOS)"
