#!/bin/sh
# Make the models of tests/vectors/models, with the decisions of the libraries that wrote them: sh scripts/newest_models.sh
# Run by hand, on Python 3.12 or 3.13, with network access: PYTHON names the interpreter. XGBoost comes in the newest
# release, in the oldest supported one, and in each between them that moved what it writes; of LightGBM and interpret the
# newest is the oldest supported. Libraries go into a folder that is removed; data are invented, with a fixed seed.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
models=$scripts/../tests/vectors/models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3.13}" -m venv "$folder/venv"
install() {
    "$folder/venv/bin/pip" install -q --no-deps "$@"
}
make() {
    "$folder/venv/bin/python" -W ignore "$scripts/newest_models.py" "$models" 17 "$@"
}
rm -rf "$models"
install -r "$scripts/newest_models.txt"
for release in 3.2.0 3.3.0; do
    install "xgboost-cpu==$release"
    make xgboost
done
install -r "$scripts/newest_models.txt"
make xgboost lightgbm interpret
echo "models: wrote tests/vectors/models"
