"""The command `wardboard verify`."""

import json

from tests.support.scoring.logs import head_of, make_log, make_signer
from wardboard.commands.main import main

SIZES = {"demo": 4, "other": 2}


def test_the_command_says_what_holds_and_exits_with_1_where_something_does_not(tmp_path, capsys):
    log, keys, kept = (tmp_path / name for name in ("log.jsonl", "keys.json", "head.json"))
    log.write_bytes(make_log(SIZES))
    kept.write_bytes(head_of(log.read_bytes()))
    keys.write_text(json.dumps({"public_keys": [{"key": make_signer().key}]}))
    assert main(["verify", str(log), "--key", str(keys), "--kept", str(kept)]) == 0
    assert "log.jsonl: verified\n  The head is signed by" in capsys.readouterr().out
    log.write_bytes(make_log(SIZES).replace(b'"right":30', b'"right":31', 1))
    assert main(["verify", str(log), "--key", make_signer().key, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["verified"] is False
    assert (answer["problem"]["code"], answer["problem"]["pointer"]) == ("log.event-changed", "/demo/1")
    assert main(["verify", str(log)]) == 1
    assert "problem  log.event-changed  /demo/1" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "nothing")]) == 2
    assert main(["verify", str(log), "--key", "no key"]) == 2
