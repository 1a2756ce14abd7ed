"""Receipts, exports and logs are verified, and what was changed is named; their JSON is that of RFC 8785."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from tests.support.scoring.logs import head_of, make_head, make_log, make_signer, submission_of
from wardboard.scoring.receipts.canonical import canonical, commit_to_references, digest_of, figures_of
from wardboard.scoring.receipts.signatures import NotVerified, read_keys, sign
from wardboard.scoring.receipts.verify import verify

SIZES = {"demo": 4, "other": 2}
KEYS = [make_signer().key]
CSV = b"rank,system,name\r\n1,7,Agent A\r\n"


def problem_of(raw: bytes, **options: Any) -> NotVerified:
    with pytest.raises(NotVerified) as caught:
        verify(raw, **{"keys": KEYS, **options})
    return caught.value


def code_of(raw: bytes, **options: Any) -> str:
    return problem_of(raw, **options).code


def boards_of(log: bytes) -> dict[str, Any]:
    return json.loads(head_of(log))["head"]["boards"]


def make_receipt(log: bytes, **changes: Any) -> bytes:
    """Return the receipt of the result of the last event of the leaderboard `demo`."""
    head = boards_of(log)["demo"]
    figures = figures_of(right=30, total=50, runs=1, metrics={"accuracy": 0.6})
    content = {
        "board": "demo",
        "submission": submission_of(head["number"]),
        "figures": figures,
        "figures_digest": digest_of(figures),
        "boards": {"demo": head},
    }
    return sign("receipt", content | changes, make_signer())


def signature_of(raw: bytes, seed: int = 1, **boards: Any) -> bytes:
    address = "https://wardboard.example.org/benchmarks/demo/?as_of=4"
    stated = {"name": "demo-4.csv", "address": address, "sha256": hashlib.sha256(raw).hexdigest()}
    return sign("export", {**stated, "boards": boards}, make_signer(seed))


def flipped(raw: bytes):
    """Yield the bytes with one bit of one byte changed, for each place."""
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 1
        yield place, bytes(changed)


def test_a_whole_log_verifies_and_every_changed_byte_of_a_file_is_found():
    log = make_log(SIZES)
    lines = verify(log, keys=KEYS)
    assert "The chains of 6 events are whole; 0 texts withheld." in lines
    assert "The log has event 4 of demo as its last line has it." in lines
    # The line break at the end is no line of its own.
    for place, changed in flipped(make_log({"demo": 2})[:-1]):
        assert problem_of(changed), place
    receipt = make_receipt(log)
    assert not any(text.startswith("The digest") for text in verify(receipt, keys=KEYS))
    for place, changed in flipped(receipt):
        assert code_of(changed) in ("file.not-signed", "log.line-changed"), place


def test_a_changed_event_is_named_by_the_next_one_and_the_last_one_by_the_head():
    lines = make_log({"demo": 4}).splitlines(keepends=True)
    for number in (1, 2, 3):
        changed = lines.copy()
        changed[number - 1] = lines[number - 1].replace(b'"right":30', b'"right":31', 1)
        problem = problem_of(b"".join(changed))
        assert (problem.code, problem.place, problem.line) == (
            "log.event-changed",
            f"/demo/{number}",
            number + 1,
        )
    lines[3] = lines[3].replace(b'"right":30', b'"right":31', 1)
    assert (code_of(b"".join(lines)), problem_of(b"".join(lines)).place) == ("log.rewritten", "/demo/4")


def test_a_log_that_was_written_anew_by_who_has_the_key_differs_from_what_was_kept():
    honest, forged = make_log(SIZES), make_log(SIZES, scores=[30, 30, 49])
    assert verify(forged, keys=KEYS)
    exported = signature_of(CSV, demo=boards_of(honest)["demo"])
    for kept in (head_of(honest), honest, make_receipt(honest), exported):
        problem = problem_of(forged, kept=[kept])
        assert (problem.code, problem.place) == ("log.rewritten", "/demo/4")


def test_a_log_that_was_cut_is_refused():
    log = make_log({"demo": 4})
    lines = log.splitlines(keepends=True)
    assert code_of(b"".join([*lines[:3], lines[-1]])) == "log.cut"
    assert code_of(b"".join(lines[:3])) == "file.not-signed"
    assert code_of(b"".join([lines[0], *lines[2:]])) == "log.event-missing"
    assert code_of(make_log({"demo": 2}), kept=[head_of(log)]) == "log.cut"
    # Events that come after what was signed may be of anybody.
    assert code_of(b"".join(lines[:4]) + head_of(make_log({"demo": 3}))) == "log.not-covered"
    assert code_of(b"".join(lines[:4]) + make_head({})) == "log.not-covered"


def test_a_text_that_was_changed_is_named_and_one_that_was_erased_is_counted():
    log = make_log({"demo": 2})
    problem = problem_of(log.replace(b'"text":"Agent 2"', b'"text":"Agent 9"'))
    assert (problem.code, problem.place) == ("log.text-changed", "/demo/2/system_name")
    lines = log.splitlines(keepends=True)
    event = json.loads(lines[0])
    lines[0] = canonical({**event, "texts": {}}) + b"\n"
    assert "The chains of 2 events are whole; 2 texts withheld." in verify(b"".join(lines), keys=KEYS)


def test_without_a_known_key_the_key_in_the_file_is_named_and_another_key_is_refused():
    log = make_log(SIZES)
    warning = f"The head is signed by {KEYS[0]}: compare it with the key that the service publishes."
    assert warning in verify(log)
    assert warning not in verify(log, keys=KEYS)
    assert "not among the known keys" in str(problem_of(log, keys=[make_signer(2).key]))
    assert verify(log, keys=[make_signer(2).key, *KEYS])


def test_what_no_signature_covers_is_refused():
    receipt = make_receipt(make_log(SIZES))
    document = json.loads(receipt)
    more = canonical({**document, "score": 1}) + b"\n"
    in_signature = canonical({**document, "signature": {**document["signature"], "by": "us"}}) + b"\n"
    twice = receipt.replace(b'"receipt":{', b'"receipt":{"figures":{"right":50},', 1)
    for raw in (more, in_signature, twice, json.dumps(document).encode(), receipt + b"\n", b" " + receipt):
        assert code_of(raw) == "file.not-signed"


def test_a_signed_statement_passes_for_no_other_kind():
    head = json.loads(make_head({}))
    as_receipt = canonical({"receipt": head["head"], "signature": head["signature"]}) + b"\n"
    assert code_of(as_receipt) == "file.not-signed"
    assert code_of(CSV, signature=make_receipt(make_log(SIZES))) == "export.bytes-changed"


def test_every_changed_byte_of_an_export_and_of_its_signature_is_found():
    signature = signature_of(CSV)
    lines = verify(CSV, keys=KEYS, signature=signature)
    address = "https://wardboard.example.org/benchmarks/demo/?as_of=4"
    assert lines[-1] == f"Its bytes are those of demo-4.csv of {address}."
    for _, changed in flipped(CSV):
        assert code_of(changed, signature=signature) == "export.bytes-changed"
    for place, changed in flipped(signature):
        assert code_of(CSV, signature=changed) == "file.not-signed", place
    for other in (signature_of(CSV, 2), b"", b"\xff"):
        assert code_of(CSV, signature=other) == "file.not-signed"


def test_a_signed_receipt_that_contradicts_itself_or_the_log_is_refused():
    for changes, code in [
        ({"figures_digest": "00" * 32}, "receipt.figures-differ"),
        ({"boards": {"demo": {"number": 4, "digest": "00" * 32}}}, "log.rewritten"),
        ({"boards": {"demo": {"number": 9, "digest": "00" * 32}}}, "log.cut"),
        ({"boards": {"demo": {"number": 0, "digest": "00" * 32}}}, "log.cut"),
        ({"boards": {"elsewhere": {"number": 1, "digest": "00" * 32}}}, "log.cut"),
        ({"submission": submission_of(3)}, "receipt.other-score"),
        ({"figures": {"right": 31, "total": 50}, "figures_digest": None}, "receipt.other-score"),
        ({"boards": 1}, "file.not-signed"),
    ]:
        log = make_log(SIZES)
        assert code_of(log, kept=[make_receipt(log, **changes)]) == code, changes


def test_keys_are_read_from_lines_and_from_the_document_of_the_service():
    assert read_keys(f"{KEYS[0]}\n\n") == KEYS
    assert read_keys(json.dumps({"public_keys": [{"key": KEYS[0]}]})) == KEYS
    for text in ("", "nothing", json.dumps({"public_keys": []}), base64.b64encode(b"short").decode()):
        with pytest.raises(ValueError, match=r".+"):
            read_keys(text)


def test_a_hostile_or_a_foreign_file_is_refused_without_another_error():
    for raw in [
        b"",
        b"{",
        b"{}",
        b'{"head":1}',
        b'{"head":{},"signature":[1]}',
        b"\xff\xfe",
        b'{"head":{},"signature":{"key":1,"value":1}}',
        b'{"head":{},"signature":{"key":"","value":"!"}}',
        b'{"entry":{"board":"a","number":1},"texts":{}}\n',
        b'{"entry":1}\n\n',
        b"[" * 100_000,
        b'{"entry":' + b"[" * 100_000,
        CSV * 300,
    ]:
        assert code_of(raw) in ("file.not-signed", "log.line-changed"), raw


# RFC 8785, section 3.2.2: the example and its canonical form, as bytes.
_EXAMPLE = r"""{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}"""
_CANONICAL = bytes.fromhex(
    "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b333333333333333333"
    "2e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c753030"
    "30665c6e4127425c225c5c5c5c5c222f227d"
)


def test_canonical_json_is_that_of_the_rfc_in_any_order_and_what_has_none_is_refused():
    assert canonical(json.loads(_EXAMPLE)) == _CANONICAL
    assert digest_of({"a": 1, "b": 1.0}) == digest_of({"b": 1, "a": 1.0})
    assert digest_of({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()
    for value in (float("nan"), float("inf"), 2**53 + 1, {1: "a name that is no text"}):
        with pytest.raises(ValueError, match=r".+"):
            canonical(value)


def test_a_commitment_is_the_hmac_of_the_content():
    # RFC 4231, test case 2.
    assert commit_to_references(b"what do ya want for nothing?", b"Jefe") == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    assert commit_to_references(b"x", b"k" * 32) == hmac.digest(b"k" * 32, b"x", "sha256").hex()
