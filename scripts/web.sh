#!/bin/sh
# Bring what builds and tests the folders of packages of npm: Node, npm, and what their lock files name:
# sh scripts/web.sh FOLDER...
# What is there already is left alone. Debian's packages are installed where we are root; elsewhere one line says what
# is missing, the exit status is 0 all the same, and the tests that need it are skipped (in CI they fail).
set -eu

missing() {
    printf 'web: %s\n' "$1"
    exit 0
}

has() {
    command -v "$1" >/dev/null 2>&1
}

wanted=
has node || wanted="nodejs"
has npm || wanted="$wanted npm"
# Names of packages, split into words on purpose.
# shellcheck disable=SC2086
if [ -n "$wanted" ] && has apt-get && [ "$(id -u)" = 0 ]; then
    echo "web: installing $wanted"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted \
        >/dev/null || missing "apt-get could not install $wanted: tests that run in Node are skipped"
fi
{ has node && has npm; } ||
    missing "no node and npm, so tests that run in Node are skipped: apt install nodejs npm (Debian), dnf install nodejs (Fedora), brew install node (macOS)"
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
    missing "node is older than 20.19, so tests that run in Node are skipped"

for folder in "$@"; do
    cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed" && continue
    # The lock file names every package with the hash of its archive; no script of a package is run.
    (cd "$folder" && npm ci --silent --ignore-scripts --no-audit --no-fund) ||
        missing "npm could not install the packages of $folder/package-lock.json: its tests are skipped"
    cp "$folder/package-lock.json" "$folder/node_modules/.installed"
done
