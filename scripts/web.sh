#!/bin/sh
# Bring what builds and tests the TypeScript verifier: Node, npm, and the packages of its lock file: sh scripts/web.sh FOLDER
# What is there already is left alone. Debian's packages are installed where we are root; elsewhere one line says what
# is missing, the exit status is 0 all the same, and the tests of the package are skipped (in CI they fail).
set -eu
folder=$1

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
        >/dev/null || missing "apt-get could not install $wanted: tests of the TypeScript verifier are skipped"
fi
{ has node && has npm; } ||
    missing "no node and npm, so tests of the TypeScript verifier are skipped: apt install nodejs npm (Debian), dnf install nodejs (Fedora), brew install node (macOS)"
node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
    missing "node is older than 20.19, so tests of the TypeScript verifier are skipped"

cd "$folder"
cmp -s package-lock.json node_modules/.installed && exit 0
# The lock file names every package with the hash of its archive; no script of a package is run.
npm ci --silent --ignore-scripts --no-audit --no-fund ||
    missing "npm could not install the packages of $folder/package-lock.json: tests of the TypeScript verifier are skipped"
cp package-lock.json node_modules/.installed
