"""Canonical JSON, against the vectors of RFC 8785."""

import hashlib
import hmac
import json
import struct

import pytest

from wardboard.scoring.receipts.canonical import canonical, commit_to_references, digest_of

# RFC 8785, section 3.2.2 and 3.2.3: the example and its canonical form, as bytes.
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
# Section 3.2.3: names sorted by UTF-16 code units.
_KEYS = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
_ORDER = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
# Appendix B: IEEE 754 doubles and their text.
_NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


def test_the_example_of_the_rfc_has_the_bytes_of_the_rfc():
    assert canonical(json.loads(_EXAMPLE)) == _CANONICAL


def test_names_are_sorted_by_their_utf_16_code_units():
    assert list(json.loads(canonical(_KEYS))) == _ORDER


@pytest.mark.parametrize(("bits", "text"), _NUMBERS.items())
def test_numbers_are_written_as_the_rfc_writes_them(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    # The library writes floats; whole ones that JSON readers took for integers come out the same.
    assert canonical([number]).decode() in (
        f"[{text}]",
        f"[{text.removeprefix('-') if text == '-0' else text}]",
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1, {1: "a name that is no text"}])
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(ValueError, match=r".+"):
        canonical(value)


def test_the_order_of_the_members_does_not_change_the_digest():
    assert digest_of({"a": 1, "b": 1.0}) == digest_of({"b": 1, "a": 1.0})
    assert digest_of({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


def test_a_commitment_is_the_hmac_of_the_content():
    # RFC 4231, test case 2.
    assert commit_to_references(b"what do ya want for nothing?", b"Jefe") == (
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    assert commit_to_references(b"x", b"k" * 32) == hmac.digest(b"k" * 32, b"x", "sha256").hex()
