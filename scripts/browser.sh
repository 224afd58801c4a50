#!/bin/sh
# Bring what the tests of pages need: a Chromium, Node, and playwright-core in FOLDER: sh scripts/browser.sh FOLDER
# What is there already is left alone. Debian's packages are installed where we are root; elsewhere one line says what
# is missing, the exit status is 0 all the same, and the tests of pages are skipped (in CI they fail).
set -eu
folder=$1
release=1.65.1

missing() {
    printf 'browser: %s\n' "$1"
    exit 0
}

has() {
    command -v "$1" >/dev/null 2>&1
}

browser() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

wanted=
browser >/dev/null || wanted="chromium fonts-liberation"
has node || wanted="$wanted nodejs"
has npm || wanted="$wanted npm"
# Names of packages, split into words on purpose.
# shellcheck disable=SC2086
if [ -n "$wanted" ] && has apt-get && [ "$(id -u)" = 0 ]; then
    echo "browser: installing$(printf ' %s' $wanted), some minutes"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted \
        >/dev/null || missing "apt-get could not install $wanted: tests of pages are skipped"
fi
browser >/dev/null ||
    missing "no Chromium, so tests of pages are skipped: apt install chromium (Debian), dnf install chromium (Fedora), brew install --cask chromium (macOS)"
{ has node && has npm; } ||
    missing "no node and npm, so tests of pages are skipped: apt install nodejs npm (Debian), dnf install nodejs (Fedora), brew install node (macOS)"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
there=$(node -p 'require(process.argv[1]).version' "$folder/node_modules/playwright-core/package.json" 2>/dev/null) ||
    there=none
[ "$there" = "$release" ] && exit 0
# It drives the browser that is there: nothing is downloaded beside the package itself, and no script of it is run.
cd "$folder" && npm install --silent --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --prefix "$folder" \
    "playwright-core@$release" || missing "npm could not install playwright-core $release: tests of pages are skipped"
