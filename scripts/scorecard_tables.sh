#!/bin/sh
# Write tests/vectors/scorecards with the libraries themselves: sh scripts/scorecard_tables.sh PYTHON
# PYTHON is a Python 3.12. Each library gets an environment of its own, which is removed at the end.
set -eu
python=$1
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make NAME REQUIREMENT...: an environment with these, and the files that the library writes in it. scorecardpy orders its
# features by hashes.
make() {
  name=$1
  shift
  "$python" -m venv "$work/$name"
  "$work/$name/bin/pip" install --quiet --disable-pip-version-check "scikit-learn==1.9.1" "scipy==1.18.1" "$@"
  PYTHONHASHSEED=0 "$work/$name/bin/python" -W ignore "$root/scripts/scorecard_tables.py" "$name" "$root/tests/vectors/scorecards"
}

make optbinning "optbinning==1.0.0" "ortools==9.15.6755" "ropwr==1.2.0" "pandas==3.1.1" "numpy==2.5.5"
# scorecardpy 0.1.9.7 needs pkg_resources, and arguments that pandas 3 no longer takes.
make scorecardpy "scorecardpy==0.1.9.7" "statsmodels==0.15.0" "pandas==2.2.3" "numpy==2.2.6" "setuptools==80.10.2"
# toad 0.1.7 names none of the libraries that it imports.
make toad "toad==0.1.7" "pandas==3.1.1" "numpy==2.5.5" "joblib==1.6.0" "seaborn==0.13.2"
