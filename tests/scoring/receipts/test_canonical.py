"""Canonical JSON, against the vectors of RFC 8785."""

import hashlib
import hmac
import json

import pytest

from wardboard.scoring.receipts.canonical import canonical, commit_to_references, digest_of

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
