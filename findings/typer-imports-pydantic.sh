#!/bin/sh
# typer 0.29.2 imports pydantic before it runs any command that takes a value, be it one text: several dozen modules more
# than 0.28.0 needs for the same program, which are loaded at every call of a command line. `import typer` alone loads
# none of them, so that a look at what the program imports does not show it.
# Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/typer-imports-pydantic.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.py <<'PROGRAM'
import sys

import typer

before = set(sys.modules)


def main(name: str) -> None:
    print(len([one for one in before if one.partition(".")[0].startswith("pydantic")]),
          len([one for one in sys.modules if one.partition(".")[0].startswith("pydantic")]),
          len(sys.modules))


typer.run(main)
PROGRAM
for release in 0.28.0 0.29.2; do
    "${PYTHON:-python3}" -m venv "$release"
    "$release/bin/pip" install -q "typer==$release"
    "$release/bin/python" program.py somebody >"$release.txt"
    read -r at_import at_command all <"$release.txt"
    echo "typer $release: pydantic's modules after \`import typer\` $at_import, in the command $at_command, of all $all"
done
read -r at_import at_command _ <0.28.0.txt
[ "$at_import" = 0 ] && [ "$at_command" = 0 ] || { echo "0.28.0 loads pydantic too"; exit 1; }
read -r at_import at_command _ <0.29.2.txt
[ "$at_import" = 0 ] || { echo "0.29.2 loads pydantic with itself"; exit 1; }
[ "$at_command" -gt 30 ] || { echo "0.29.2 no longer loads pydantic for a command"; exit 1; }
