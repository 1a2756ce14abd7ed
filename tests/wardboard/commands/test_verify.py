"""The command `wardboard verify`."""

import json
import subprocess
import sys

import pytest

from tests.support.scoring.logs import make_log, make_signer
from wardboard.commands.main import main
from wardboard.scoring.receipts.exports import sign_export
from wardboard.scoring.receipts.notes import sign_note

SIZES = {"demo": 4, "other": 2}


def test_the_command_says_what_holds_and_exits_with_1_where_something_does_not(tmp_path, capsys):
    log, keys = tmp_path / "log.jsonl", tmp_path / "keys.json"
    log.write_bytes(make_log(SIZES))
    keys.write_text(json.dumps({"public_keys": [{"key": make_signer().key.text}]}))
    assert main(["verify", str(log), "--key", str(keys)]) == 0
    assert "log.jsonl: log, verified" in capsys.readouterr().out
    log.write_bytes(make_log(SIZES).replace(b'"right":30', b'"right":31', 1))
    assert main(["verify", str(log), "--key", make_signer().key.text, "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["verified"] is False
    assert answer["problems"]["listed"][0]["pointer"] == "/demo/1"
    assert "Event 1 of demo was changed" in answer["problems"]["listed"][0]["message"]
    assert main(["verify", str(tmp_path / "nothing")]) == 2


def test_the_command_verifies_an_export_by_the_signature_beside_it(tmp_path, capsys):
    file, signature = tmp_path / "board.csv", tmp_path / "board.csv.sig"
    file.write_bytes(b"rank,name\r\n1,Agent A\r\n")
    address = "https://wardboard.example.org/benchmarks/demo/"
    note = sign_export([file.read_bytes()], name="demo-4.csv", address=address, signer=make_signer())
    signature.write_text(note)
    command = ["verify", str(file), "--signature", str(signature), "--key", make_signer().key.text]
    assert main(command) == 0
    assert "board.csv: export, verified" in capsys.readouterr().out
    file.write_bytes(file.read_bytes().replace(b"Agent A", b"Agent B"))
    assert main(command) == 1
    assert "export.bytes-changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "raw", [b"", b"rank,name\r\n1,Agent A\r\n" * 300, b"<html>\n", b'{"version": "v2"}\n']
)
def test_a_file_of_another_kind_is_named_once_and_is_not_taken_for_a_log(tmp_path, capsys, raw):
    file = tmp_path / "file"
    file.write_bytes(raw)
    assert main(["verify", str(file), "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [problem["code"] for problem in answer["problems"]["listed"]] == ["document.unknown"]
    assert "--signature" in answer["problems"]["listed"][0]["hint"]


def test_without_the_library_a_verification_says_what_to_install():
    note, key = sign_note("a text\n", make_signer()), make_signer().key.text
    program = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from wardboard.commands.main import main\n"
        "sys.exit(main(['verify', '-', '--key', sys.argv[1]]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, key], input=note.encode(), capture_output=True, check=False
    )
    assert (run.returncode, b"pip install cryptography" in run.stderr) == (3, True), run.stderr
