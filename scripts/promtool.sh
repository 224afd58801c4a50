#!/bin/sh
# Bring what the tests of the alert rules need: Prometheus's promtool: sh scripts/promtool.sh FOLDER
# What is there already is left alone. Of Debian's package this one program is unpacked into FOLDER, so that no server is
# installed. Elsewhere one line says what is missing, the exit status is 0 all the same, and the tests of the rules are
# skipped (in CI they fail).
set -eu
folder=$1

missing() {
    printf 'promtool: %s\n' "$1"
    exit 0
}

has() {
    command -v "$1" >/dev/null 2>&1
}

has promtool && exit 0
[ -x "$folder/promtool" ] && exit 0
{ has apt-get && has dpkg-deb; } ||
    missing "no promtool, so tests of the alert rules are skipped: apt install prometheus (Debian), brew install prometheus (macOS)"
echo "promtool: unpacking it of Debian's prometheus, a minute"
mkdir -p "$folder"
cd "$folder"
# Lists of packages may be missing or old; whoever may not renew them tries with those that there are.
{ [ "$(id -u)" != 0 ] || apt-get -qq update; } && apt-get -qq download prometheus >/dev/null 2>&1 ||
    missing "apt-get could not download prometheus: tests of the alert rules are skipped"
dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x --strip-components=3 ./usr/bin/promtool
rm -f prometheus_*.deb
