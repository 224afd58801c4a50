#!/bin/sh
# cyclonedx-python-lib 11.12.0 calls a CycloneDX 1.6 file with a model card valid, reads it without an error or a warning,
# and writes it again without the card: what a model is judged by is lost, in silence. The component itself stays.
# Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/cyclonedx-python-lib-model-card.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q 'cyclonedx-python-lib[json-validation]==11.12.0'
venv/bin/python -W error - <<'PYTHON'
import json

from cyclonedx.model.bom import Bom
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

card = {"modelParameters": {"task": "classification"}, "considerations": {"users": ["a loan officer"]}}
model = {"type": "machine-learning-model", "name": "loans", "version": "1", "modelCard": card}
given = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": [model]}
valid = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(given)) is None
written = json.loads(JsonV1Dot6(Bom.from_json(given)).output_as_string())
(component,) = written["components"]
print("valid by the strict schema:", valid)
print("fields of the component, given:  ", sorted(model))
print("fields of the component, written:", sorted(component))
assert valid, "the schema has changed"
assert component["name"] == "loans", "the component is no longer kept"
assert "modelCard" not in component, "model cards are kept now"
PYTHON
