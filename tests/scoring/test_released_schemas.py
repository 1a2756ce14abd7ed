"""The released schemas of all benchmarks: what they are, and that they never change."""

import hashlib
import json

from jsonschema import Draft202012Validator

from tests.support.paths import ROOT
from wardboard.scoring import registry

# A released schema is immutable: a change is a new file, under a new name.
RELEASED = {
    "medagentbench": {
        "result-file-1.0": "1eb3e70b5942008656da799ffe55f806c3786f03ecadc131d8e9c9fa53628b7f",
        "run-line-1.0": "bcfec880b48b14cf81287bd18e2cb4d14a92efc42e3e68157758837ccbc904a9",
    },
    "fhir-agentbench": {"result-1.0": "49d247899908e51ce63114ffc13e24c786970ba4ca222a20dbaa0ffb3d4c5ceb"},
}


def test_a_released_schema_is_what_it_was():
    for slug, digests in RELEASED.items():
        folder = ROOT / "scoring" / slug.replace("-", "_") / "reading/schema"
        found = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        assert found == digests
        # That of the usual file comes first.
        assert list(registry.get(slug).schemas()) == list(digests)


def test_a_schema_is_one_of_2020_12_with_a_stable_id_and_examples_that_pass():
    for slug in RELEASED:
        for name, schema in registry.get(slug).schemas().items():
            Draft202012Validator.check_schema(schema)
            kind, _, version = name.rpartition("-")
            assert schema["$id"] == f"urn:wardboard:{slug}:{kind}:{version}"
            assert schema["examples"], name
            for example in schema["examples"]:
                assert Draft202012Validator(schema).is_valid(json.loads(json.dumps(example))), name
