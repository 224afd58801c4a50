#!/bin/sh
# Bring what the tests of examples/operations need, Prometheus's promtool and nginx: sh scripts/operations.sh FOLDER
# What is there already is left alone. Of Debian's packages these programs alone are unpacked into FOLDER, so that no
# server is installed. Elsewhere one line says what is missing, the exit status is 0 all the same, and those tests are
# skipped (in CI they fail).
set -eu
folder=$1

has() {
    command -v "$1" >/dev/null 2>&1
}

# bring PROGRAM PACKAGE PATH: a program, the package that has it in PATH, and its way there.
bring() {
    if has "$1" || [ -x "$folder/$1" ]; then return; fi
    if ! { has apt-get && has dpkg-deb; }; then
        echo "operations: no $1, so its tests are skipped: apt install $2 (Debian), brew install $2 (macOS)"
        return
    fi
    echo "operations: unpacking $1 of Debian's $2"
    mkdir -p "$folder"
    # Lists of packages may be missing or old; whoever may not renew them tries with those that there are.
    if { [ "$(id -u)" != 0 ] || apt-get -qq update; } && (cd "$folder" && apt-get -qq download "$2" >/dev/null 2>&1); then
        dpkg-deb --fsys-tarfile "$folder/$2"_*.deb | tar -x -C "$folder" --strip-components=3 "$3"
        rm -f "$folder/$2"_*.deb
    else
        echo "operations: apt-get could not download $2: tests of $1 are skipped"
    fi
}

bring promtool prometheus ./usr/bin/promtool
bring nginx nginx ./usr/sbin/nginx
