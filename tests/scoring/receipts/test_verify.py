"""Receipts, exports and logs are verified, and what was changed is named."""

import json
from typing import Any

import pytest

from tests.support.scoring.logs import make_log, make_signer
from wardboard.scoring.receipts.canonical import canonical, digest_of, figures_of
from wardboard.scoring.receipts.entries import digest_of_entry
from wardboard.scoring.receipts.exports import sign_export
from wardboard.scoring.receipts.log_file import read_log
from wardboard.scoring.receipts.receipts import sign_receipt, write_receipt
from wardboard.scoring.receipts.signatures import PublicKey
from wardboard.scoring.receipts.verify import read_keys, verify

SIZES = {"demo": 4, "other": 2}
KEYS = [make_signer().key]


def codes(result) -> list[str]:
    return [problem.code for problem in result.problems.listed]


def note_of(log: bytes) -> bytes:
    return json.loads(log.splitlines()[-1])["checkpoint"].encode()


def make_receipt(log: bytes, **changes: Any) -> bytes:
    """Return the receipt of the result of event 2 of the leaderboard `demo`."""
    figures = figures_of(right=30, total=50, runs=1, metrics={"accuracy": 0.6})
    content = {
        "format": "wardboard-receipt/1",
        "board": "demo",
        "submission": "00000000-0000-4000-8000-000000000002",
        "figures": figures,
        "figures_digest": digest_of(figures),
        "event": {"number": 2, "hash": json.loads(log.splitlines()[1])["hash"]},
        **changes,
    }
    return write_receipt(sign_receipt(content, make_signer()))


def test_a_whole_log_verifies():
    result = verify(make_log(SIZES), keys=KEYS)
    assert (result.kind, codes(result)) == ("log", [])
    assert "The chains of 6 events on 2 leaderboards are whole, in themselves." in result.statements
    assert "The log agrees with the checkpoint of 6 events." in result.statements


def test_every_changed_byte_of_a_log_is_found_and_the_event_named():
    log = make_log({"demo": 3})
    ends = [place for place, byte in enumerate(log) if byte == ord("\n")]
    for place in range(len(log) - 1):
        changed = bytearray(log)
        changed[place] ^= 1
        result = verify(bytes(changed), keys=KEYS)
        assert result.problems, f"byte {place} of {log[place - 20 : place + 20]!r}"
        line = sum(end < place for end in ends) + 1
        if line <= 3:
            named = [problem.message for problem in result.problems.listed if problem.line == line]
            # What is no event any more has no number, and is named by its line.
            assert any(text.startswith(("Event ", f"Line {line}, ")) for text in named), place


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_changed_score_names_the_event_by_leaderboard_and_number(number):
    lines = make_log({"demo": 3}).splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b'"right":30', b'"right":31', 1)
    result = verify(b"".join(lines), keys=KEYS)
    assert [(p.code, p.pointer, p.line) for p in result.problems.listed] == [
        ("log.event-changed", f"/demo/{number}", number)
    ]
    assert not any("agrees" in statement for statement in result.statements)


def test_an_event_whose_digest_was_made_to_fit_is_named_by_the_next_one():
    lines = make_log({"demo": 4}).splitlines(keepends=True)
    event = json.loads(lines[1])
    event["entry"]["figures"]["right"] = 49
    event["hash"] = digest_of_entry(event["entry"])
    lines[1] = canonical(event) + b"\n"
    result = verify(b"".join(lines), keys=KEYS)
    assert codes(result) == ["log.chain-broken"]
    (problem,) = result.problems.listed
    assert (problem.pointer, problem.line) == ("/demo/3", 3)
    assert "the log was changed from event 2 on" in problem.message


def test_a_log_that_was_written_anew_by_who_has_the_key_differs_from_a_checkpoint_that_was_kept():
    honest, forged = make_log(SIZES), make_log(SIZES, scores=[30, 30, 49])
    assert not verify(forged, keys=KEYS).problems
    result = verify(forged, keys=KEYS, kept=[note_of(honest)])
    assert [(p.code, p.pointer) for p in result.problems.listed][:1] == [("log.rewritten", "/demo/4")]


def test_a_copy_of_the_log_that_was_kept_names_the_first_event_that_differs():
    honest, forged = make_log({"demo": 4}), make_log({"demo": 5}, scores=[30, 30, 49])
    result = verify(forged, keys=KEYS, kept=[honest])
    assert [(problem.code, problem.pointer) for problem in result.problems.listed] == [
        ("log.rewritten", "/demo/3")
    ]


def test_a_longer_log_agrees_with_an_earlier_checkpoint_and_an_earlier_copy():
    earlier = make_log({"demo": 2})
    result = verify(make_log(SIZES), keys=KEYS, kept=[note_of(earlier), earlier])
    assert codes(result) == []
    assert "It has all 2 events of the log that was kept." in result.statements


def test_a_log_that_was_cut_is_refused():
    lines = make_log({"demo": 4}).splitlines(keepends=True)
    assert codes(verify(b"".join([*lines[:3], lines[-1]]), keys=KEYS)) == ["log.cut"]
    assert codes(verify(b"".join(lines[:3]), keys=KEYS)) == ["log.no-checkpoint"]
    without_second = verify(b"".join([lines[0], *lines[2:]]), keys=KEYS)
    assert [(p.code, p.pointer) for p in without_second.problems.listed][:1] == [
        ("log.event-missing", "/demo/3")
    ]


def test_events_after_the_checkpoint_are_refused():
    long, short = (
        make_log({"demo": 4}).splitlines(keepends=True),
        make_log({"demo": 3}).splitlines(keepends=True),
    )
    assert codes(verify(b"".join([*long[:4], short[-1]]), keys=KEYS)) == ["log.not-covered"]
    assert codes(verify(b"".join([*short, long[3]]), keys=KEYS)) == ["log.after-the-end"]


def test_a_text_that_was_forgotten_leaves_the_chain_whole_and_one_that_was_changed_does_not():
    lines = make_log({"demo": 2}).splitlines(keepends=True)
    event = json.loads(lines[0])
    forgotten = event | {"texts": {"reason": event["texts"]["reason"]}}
    result = verify(b"".join([canonical(forgotten) + b"\n", *lines[1:]]), keys=KEYS)
    assert codes(result) == []
    assert "1 text withheld: their digests alone are in it." in result.statements
    event["texts"]["system_name"]["text"] = "Agent X"
    result = verify(b"".join([canonical(event) + b"\n", *lines[1:]]), keys=KEYS)
    assert [(p.code, p.pointer) for p in result.problems.listed] == [
        ("log.text-changed", "/demo/1/system_name")
    ]


def test_a_log_signed_by_another_key_is_refused():
    log = make_log(SIZES, signer=make_signer(2))
    assert codes(verify(log, keys=KEYS)) == ["checkpoint.not-signed"]
    # Without a key of one's own, the one in the file is used, which the statements say.
    result = verify(log)
    assert codes(result) == []
    assert any("The key came with the file" in statement for statement in result.statements)


def test_a_receipt_verifies_and_is_found_in_the_log():
    log = make_log(SIZES)
    result = verify(make_receipt(log), keys=KEYS, log=log)
    assert (result.kind, codes(result)) == ("receipt", [])
    assert "The log has it as event 2 of demo." in result.statements


def test_every_changed_byte_of_a_receipt_is_found():
    receipt = make_receipt(make_log(SIZES))
    for known in (KEYS, ()):
        for place in range(len(receipt)):
            changed = bytearray(receipt)
            changed[place] ^= 1
            assert verify(bytes(changed), keys=known).problems, receipt[place - 20 : place + 20]
        assert not verify(receipt, keys=known).problems


def test_a_member_that_no_signature_of_a_receipt_covers_is_refused():
    receipt = make_receipt(make_log(SIZES))
    document = json.loads(receipt)
    (line,) = document["signatures"]
    other = make_signer(2).key
    for changes, text in (
        ({"note": "rank 1"}, "does not cover 'note'"),
        ({"signatures": [line | {"by": "the jury"}]}, "members that it does not cover"),
        ({"signatures": [line | {"key": other.text}]}, "members that it does not cover"),
        ({"signatures": [line, line | {"id": other.id}]}, "not among the known keys"),
        ({"signatures": []}, "signed by nobody"),
    ):
        result = verify(write_receipt(document | changes), keys=KEYS)
        assert codes(result) == ["receipt.not-signed"]
        assert text in result.problems.listed[0].message
    for raw in (json.dumps(document).encode(), receipt + b"\n", receipt[:-1], b" " + receipt):
        assert codes(verify(raw, keys=KEYS)) == ["receipt.not-as-written"]


CSV = b"rank,system,name\r\n1,7,Agent A\r\n"


def signature_of(raw: bytes, number: int = 1) -> bytes:
    address = "https://wardboard.example.org/benchmarks/demo/?as_of=4"
    signer = make_signer(number)
    return sign_export([raw[:9], raw[9:]], name="demo-4.csv", address=address, signer=signer).encode()


def test_every_changed_byte_of_an_export_and_of_its_signature_is_found():
    signature = signature_of(CSV)
    result = verify(CSV, keys=KEYS, signature=signature)
    assert (result.kind, result.verdict, codes(result)) == ("export", "verified", [])
    assert "as demo-4.csv of https://wardboard.example.org/benchmarks/demo/?as_of=4" in result.statements[-1]
    for place in range(len(CSV)):
        changed = bytearray(CSV)
        changed[place] ^= 1
        assert codes(verify(bytes(changed), keys=KEYS, signature=signature)) == ["export.bytes-changed"]
    for place in range(len(signature)):
        changed = bytearray(signature)
        changed[place] ^= 1
        assert codes(verify(CSV, keys=KEYS, signature=bytes(changed))) == ["export.not-signed"], place


def test_a_signature_of_an_unknown_key_or_of_something_else_is_refused():
    log = make_log(SIZES)
    for signature in (signature_of(CSV, 2), note_of(log), b"", b"\xff"):
        assert codes(verify(CSV, keys=KEYS, signature=signature)) == ["export.not-signed"]
    # A table brings no key of its own.
    assert codes(verify(CSV, signature=signature_of(CSV))) == ["export.not-signed"]
    receipt = make_receipt(log)
    assert codes(verify(receipt, keys=KEYS, signature=signature_of(receipt))) == ["export.not-signed"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"figures_digest": "00" * 32}, "receipt.figures-differ"),
        ({"event": {"number": 3, "hash": "00" * 32}}, "receipt.other-event"),
        ({"event": {"number": 9, "hash": "00" * 32}}, "receipt.not-in-log"),
        ({"submission": "00000000-0000-4000-8000-000000000003"}, "receipt.other-event"),
        ({"figures": {"right": 31, "total": 50}, "figures_digest": None}, "receipt.other-score"),
    ],
)
def test_a_signed_receipt_that_contradicts_the_log_is_refused(changes, code):
    log = make_log(SIZES)
    assert codes(verify(make_receipt(log, **changes), keys=KEYS, log=log)) == [code]


def test_a_receipt_with_a_name_given_twice_is_refused():
    receipt = make_receipt(make_log(SIZES))
    shown = receipt.replace(b'"receipt":{', b'"receipt":{"figures":{"right":50},', 1)
    assert codes(verify(shown, keys=KEYS)) == ["document.name-repeated"]


def test_a_kept_copy_that_cannot_be_compared_is_named():
    log = make_log(SIZES)
    assert codes(verify(log, keys=KEYS, kept=[b""])) == ["kept.unreadable"]
    assert codes(verify(log, keys=KEYS, kept=[b"<html>"])) == ["kept.unreadable"]
    assert codes(verify(note_of(log), keys=KEYS, kept=[note_of(log)])) == ["kept.no-log"]


def make_export(log: bytes, **changes: Any) -> bytes:
    rows = [
        {"system_id": n, "kind": "rescored", "judge": "", "right": 30, "total": 50, "rate": 0.6}
        for n in (1, 2, 3)
    ]
    head = {"benchmark": "demo", "event": 3, "metrics": [{"key": "rate"}], "filters": {}, "rows": rows}
    return json.dumps(head | {"checkpoint": note_of(log).decode()} | changes).encode()


def test_an_export_verifies_and_its_rows_are_compared_with_the_log():
    log = make_log(SIZES)
    result = verify(make_export(log), keys=KEYS, log=log)
    assert (result.kind, codes(result)) == ("export", [])
    assert result.verdict == "verified"
    assert any(text.startswith("The log has 3 rows of the export at event 3") for text in result.statements)


def test_an_export_without_a_log_is_not_called_verified():
    result = verify(make_export(make_log(SIZES)), keys=KEYS)
    assert (codes(result), result.verdict) == ([], "its checkpoint verified, its rows not compared")


def test_only_an_export_without_its_signature_is_said_to_have_bytes_that_nothing_covers():
    log = make_log(SIZES)
    export = make_export(log)

    def says_so(raw: bytes, signature: bytes | None = None) -> bool:
        statements = verify(raw, keys=KEYS, log=log, signature=signature).statements
        assert statements
        return any(statement.startswith("Nothing covers its bytes") for statement in statements)

    assert says_so(export)
    assert not says_so(export, signature_of(export))
    assert not any(map(says_so, (log, make_receipt(log), note_of(log))))


def test_an_export_cannot_name_another_column_as_the_score():
    log = make_log(SIZES)
    rows = [row | {"rate": 0.99, "zz": row["rate"]} for row in json.loads(make_export(log))["rows"]]
    changed = make_export(log, rows=rows, metrics=[{"key": "zz"}, {"key": "rate"}])
    result = verify(changed, keys=KEYS, log=log, ranked=["rate"])
    assert [p.pointer for p in result.problems.listed] == ["/rows/0/rate", "/rows/1/rate", "/rows/2/rate"]


def test_a_row_that_is_none_or_stands_twice_is_refused():
    log = make_log(SIZES)
    rows = json.loads(make_export(log))["rows"]
    for changed in ([*rows, rows[0]], [*rows, "a row"], [*rows, None], "rows"):
        assert "export.row-differs" in codes(verify(make_export(log, rows=changed), keys=KEYS, log=log))


def test_an_export_whose_row_was_changed_added_or_left_out_is_refused():
    log = make_log(SIZES)
    rows = json.loads(make_export(log))["rows"]
    better = [rows[0] | {"right": 31}, *rows[1:]]
    result = verify(make_export(log, rows=better), keys=KEYS, log=log)
    assert [(p.code, p.pointer) for p in result.problems.listed] == [("export.row-differs", "/rows/0/right")]
    rounded = [rows[0] | {"rate": 0.7}, *rows[1:]]
    assert codes(verify(make_export(log, rows=rounded), keys=KEYS, log=log)) == ["export.row-differs"]
    added = [*rows, rows[0] | {"system_id": 99}]
    assert codes(verify(make_export(log, rows=added), keys=KEYS, log=log)) == ["export.row-differs"]
    assert codes(verify(make_export(log, rows=rows[1:]), keys=KEYS, log=log)) == ["export.rows-missing"]
    # What a filter left out is not missing.
    filtered = make_export(log, rows=rows[1:], filters={"q": "Agent"})
    assert codes(verify(filtered, keys=KEYS, log=log)) == []


def test_an_export_that_its_checkpoint_does_not_cover_is_refused():
    log = make_log(SIZES)
    assert "export.not-covered" in codes(verify(make_export(log, event=5), keys=KEYS))


def test_keys_are_read_from_lines_and_from_the_document_of_the_service():
    line = make_signer().key.text
    assert read_keys(f"{line}\n\n") == KEYS
    assert read_keys(json.dumps({"public_keys": [{"key": line}]})) == KEYS
    for text in ("", "nothing", json.dumps({"public_keys": []})):
        with pytest.raises(ValueError, match=r".+"):
            read_keys(text)


def keys_until(time: str) -> list[PublicKey]:
    """Return the key as the document of a service has it that signs with another one since."""
    return read_keys(json.dumps({"public_keys": [{"key": make_signer().key.text, "until": time}]}))


def test_a_receipt_with_a_time_after_its_key_was_replaced_is_refused():
    times = {"scored": "2026-11-01T10:00:00.000000Z", "published": None}
    receipt = make_receipt(make_log(SIZES), times=times)
    result = verify(receipt, keys=keys_until("2026-11-01T09:59:59Z"))
    assert codes(result) == ["receipt.key-replaced"]
    assert not codes(verify(receipt, keys=keys_until("2026-11-01T10:00:01Z")))


def test_a_log_with_an_event_after_its_key_was_replaced_is_refused():
    log = make_log(SIZES)
    assert "log.key-replaced" in codes(verify(log, keys=keys_until("2026-11-01T12:00:00Z")))
    assert not codes(verify(log, keys=keys_until("2026-11-01T13:00:00Z")))


def test_hostile_files_are_refused_without_an_error():
    hostile = [
        b"{",
        b"[]",
        b"{}",
        b'{"rows":1}',
        b'{"receipt":1}',
        b'{"receipt":{},"signatures":[1]}',
        b"\xff\xfe",
    ]
    hostile += [
        b'{"entry":{"board":"a","number":1,"previous":"","rows":[1],"format":"x"},"hash":""}',
        b"[" * 100_000,
    ]
    hostile += [
        b'{"rows":[],"checkpoint":"x"}',
        b'{"checkpoint":1,"keys":1}',
        b'{"checkpoint":"","keys":[1]}',
    ]
    for raw in hostile:
        assert verify(raw, keys=KEYS).problems, raw
    assert read_log(b"").size == 0
