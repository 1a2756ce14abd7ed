"""Signed notes and checkpoints."""

import pytest

from tests.support.scoring.logs import NAME, make_signer
from wardboard.scoring.receipts.checkpoints import Checkpoint, Head, read_checkpoint, write_checkpoint
from wardboard.scoring.receipts.notes import NoteInvalid, read_note, sign_note
from wardboard.scoring.receipts.signatures import PublicKey, read_key

# The example of the Go package golang.org/x/mod/sumdb/note, from which the C2SP specification was written.
_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNX"
    "gKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def test_the_note_of_another_implementation_verifies():
    (key,) = read_note(_NOTE).verify([read_key(_KEY)])
    assert (key.name, key.id, key.text) == ("PeterNeumann", "c74f20a3", _KEY)


def test_a_note_is_signed_as_the_specification_says():
    signer = make_signer()
    note = sign_note("a text\n\nwith an empty line\n", signer)
    assert note.startswith(f"a text\n\nwith an empty line\n\n— {NAME} ")
    read = read_note(note)
    assert read.text == "a text\n\nwith an empty line\n"
    (line,) = read.signatures
    assert line.key_hash == signer.key.key_hash
    assert len(line.signature) == 64
    assert read.verify([signer.key]) == [signer.key]


def test_signatures_of_unknown_keys_are_passed_over_and_one_known_key_is_enough():
    note = sign_note("a text\n", make_signer(1)) + sign_note("a text\n", make_signer(2)).split("\n\n")[1]
    assert read_note(note).verify([make_signer(2).key]) == [make_signer(2).key]
    with pytest.raises(NoteInvalid, match="not among the known keys"):
        read_note(note).verify([make_signer(3).key])


def test_a_text_that_was_changed_does_not_verify():
    with pytest.raises(NoteInvalid, match="does not match"):
        read_note(_NOTE.replace("answer", "answers")).verify([read_key(_KEY)])


@pytest.mark.parametrize(
    "note",
    [
        "a text\n",
        "a text\n\n",
        "a text\n\nPeterNeumann x08go/ZJ\n",
        "a text\n\n— PeterNeumann\n",
        "a text\n\n— PeterNeumann !!!!\n",
        "a text\n\n— PeterNeumann AAAA\n",
        _NOTE.replace("If", "\tIf"),
        _NOTE.removesuffix("\n"),
    ],
)
def test_what_is_no_note_is_refused(note):
    with pytest.raises(NoteInvalid):
        read_note(note)


@pytest.mark.parametrize(
    "line",
    [
        "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TX",
        "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+c74f20a3",
        "PeterNeumann+c74f20a3+AAAA",
    ],
)
def test_a_key_that_was_changed_is_refused(line):
    with pytest.raises(ValueError, match=r".+"):
        read_key(line)


def test_a_name_of_a_key_has_no_space_and_no_plus_sign():
    for name in ("", "a b", "a+b", "a\u2003b"):
        with pytest.raises(ValueError, match="cannot be the name"):
            PublicKey(name, bytes(32))


def test_a_checkpoint_is_read_as_it_was_written():
    heads = {"b": Head(2, "cd" * 32), "a": Head(1, "ab" * 32)}
    note = sign_note(write_checkpoint("example.org/log", heads), make_signer())
    assert note.split("\n")[:2] == ["example.org/log", "3"]
    assert note.split("\n")[3].startswith("a 1 ")
    assert read_checkpoint(read_note(note)) == Checkpoint("example.org/log", 3, heads)


@pytest.mark.parametrize(
    ("was", "now"), [("\n3\n", "\n4\n"), ("a 1 ", "a 2 "), ("b 2 ", "b x "), ("\na 1", "\na  1")]
)
def test_a_checkpoint_that_contradicts_itself_is_refused(was, now):
    text = write_checkpoint("example.org/log", {"b": Head(2, "cd" * 32), "a": Head(1, "ab" * 32)})
    note = sign_note(text.replace(was, now), make_signer())
    with pytest.raises(NoteInvalid):
        read_checkpoint(read_note(note))
