"""Receipts as in-toto Statements in DSSE envelopes, which common tools verify.

Sources: DSSE 1.0.2 (envelope, and the encoding that is signed), in-toto Statement v1, ResourceDescriptor v1
and predicate test-result v0.1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from wardboard.scoring.receipts.canonical import canonical
from wardboard.scoring.receipts.signatures import PublicKey, Signer, decode, encode

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
# Names of tests in the predicate.
_SCORED, _NOT_WITHDRAWN, _NOT_DISQUALIFIED = "scored", "not-withdrawn", "not-disqualified"


class EnvelopeInvalid(ValueError):
    """The envelope is malformed, is about something else, or no known key has signed it."""


def make_statement(
    content: Mapping[str, Any], *, file_digests: Sequence[tuple[str, str]], board: str, result: str
) -> dict[str, Any]:
    """Return the Statement of a receipt, whose content the predicate has whole.

    The tests are about the result as a whole: a result that was withdrawn has WARNED, and one that was
    disqualified has FAILED. How many tasks are correct is in the content.

    content: of the receipt
    file_digests: name and SHA-256 (hexadecimal digits) of each submitted file
    board, result: the addresses of their pages
    """
    times = content["times"]
    warned = [_NOT_WITHDRAWN] if times["withdrawn"] else []
    failed = [_NOT_DISQUALIFIED] if times["disqualified"] else []
    tests = (_SCORED, _NOT_WITHDRAWN, _NOT_DISQUALIFIED)
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in file_digests],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": "FAILED" if failed else "WARNED" if warned else "PASSED",
            "configuration": [
                {
                    "name": content["board"],
                    "uri": board,
                    "annotations": {name: content[name] for name in ("references", "scorer", "judge")},
                }
            ],
            "url": result,
            "passedTests": [test for test in tests if test not in (*warned, *failed)],
            "warnedTests": warned,
            "failedTests": failed,
            "receipt": dict(content),
        },
    }


def sign_statement(statement: Mapping[str, Any], signer: Signer) -> bytes:
    """Return the envelope of a Statement as a file: canonical JSON and a line break."""
    payload = canonical(statement)
    signature = {"keyid": signer.key.id, "sig": encode(signer.sign(_signed_bytes(PAYLOAD_TYPE, payload)))}
    envelope = {"payload": encode(payload), "payloadType": PAYLOAD_TYPE, "signatures": [signature]}
    return canonical(envelope) + b"\n"


def verify_envelope(document: Any, keys: Sequence[PublicKey]) -> tuple[bytes, PublicKey]:
    """Return the payload of an envelope and the key that signed it. Raises EnvelopeInvalid."""
    try:
        payload, payload_type = decode(document["payload"]), document["payloadType"]
        signatures = [(str(line.get("keyid", "")), decode(line["sig"])) for line in document["signatures"]]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EnvelopeInvalid(f"this is not a DSSE envelope: {error!r}") from error
    if payload_type != PAYLOAD_TYPE:
        raise EnvelopeInvalid(f"its payload is not of the type {PAYLOAD_TYPE}")
    message = _signed_bytes(payload_type, payload)
    # The id only helps to find the key: it is not signed.
    for key in keys:
        if any(key.verifies(message, signature) for _id, signature in signatures):
            return payload, key
    ids = ", ".join(repr(key_id[:40]) for key_id, _ in signatures) or "nobody"
    raise EnvelopeInvalid(f"no known key has signed it; it names {ids}")


def _signed_bytes(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that are signed. Source: DSSE 1.0.2, pre-authentication encoding (PAE)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
