#!/bin/sh
# Usage: find-go.sh MINIMUM
# Prints the path of the go command on PATH where it is MINIMUM (as in 1.25.7) or newer, and fails otherwise. The path
# is the one inside GOROOT: a wrapper on PATH may look at its own name, and gofmt lies beside the real one.
set -eu
minimum=$1
unset GOROOT
export GOTOOLCHAIN=local

version=$(go env GOVERSION 2>/dev/null) || exit 1
# A development build ("devel go1.27-...") names no release to compare with.
case $version in
    go[0-9]*.[0-9]*) ;;
    *) exit 1 ;;
esac
printf '%s %s\n' "$minimum" "${version#go}" | awk '{
    split($1, want, "."); split($2, have, ".")
    for (i = 1; i <= 3; i++) {
        if (have[i] + 0 > want[i] + 0) exit 0
        if (have[i] + 0 < want[i] + 0) exit 1
    }
    exit 0
}' || exit 1

go="$(go env GOROOT)/bin/go"
[ -x "$go" ] || go=$(command -v go)
printf '%s\n' "$go"
