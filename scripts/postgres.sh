#!/bin/sh
# Bring what the tests of the service need beside SQLite: the programs of a PostgreSQL server: sh scripts/postgres.sh [ROOT]
# What is there already is left alone. Debian's package is installed where we are root, without a server of the system's
# own: tests start theirs in a temporary folder, as an unprivileged user. Elsewhere one line says what is missing, the
# exit status is 0 all the same, and the tests on PostgreSQL are skipped (in CI they fail). ROOT stands before the
# paths that are looked at and written to.
set -eu
root=${1:-}
clusters=$root/etc/postgresql-common/createcluster.d

missing() {
    printf 'postgres: %s\n' "$1"
    exit 0
}

has() {
    command -v "$1" >/dev/null 2>&1
}

server() {
    has initdb && return 0
    # Debian keeps them out of PATH, below the number of the release.
    for program in "$root"/usr/lib/postgresql/*/bin/initdb; do
        [ -x "$program" ] && return 0
    done
    return 1
}

server && exit 0
if has apt-get && [ "$(id -u)" = 0 ]; then
    echo "postgres: installing postgresql, a minute"
    [ -e "$root/etc/postgresql" ] ||
        { mkdir -p "$clusters" && echo "create_main_cluster = false" >"$clusters/equiproof.conf"; }
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql \
        >/dev/null || missing "apt-get could not install postgresql: tests on PostgreSQL are skipped"
fi
server ||
    missing "no PostgreSQL server, so tests on it are skipped: apt install postgresql (Debian), dnf install postgresql-server (Fedora), brew install postgresql (macOS)"
