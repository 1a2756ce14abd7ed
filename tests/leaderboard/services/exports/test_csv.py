"""What a spreadsheet and pandas make of our CSV files."""

import csv
import io

from leaderboard.services.exports.csv_json import neutralise, write_csv

NAMES = ["NaN", "null", "NA", "-", "1e5", "00123", '"quoted"', "'tis", "TRUE", "醫療 é", "a, b; c"]


def test_a_file_begins_with_one_byte_order_mark_which_readers_of_utf_8_sig_drop():
    content = "".join(write_csv({"system": name, "score": None} for name in NAMES)).encode()
    assert content.startswith(b"\xef\xbb\xbfsystem,score\r\n")
    assert content.count(b"\xef\xbb\xbf") == 1
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert [row["system"] for row in rows] == NAMES


def test_what_a_spreadsheet_would_execute_or_split_is_marked_and_nothing_else_is():
    for text in ("-", "+", "=", "@", "x; y; 3", "2 < 3 = true"):
        assert neutralise(text) == text
    for text in ("=cmd()", "-1+1", "＝1", "\t", "\r", "\r1", "  =1", " ＋1"):
        assert neutralise(text) == f"'{text}"
    for text, inert in (
        ("x;=1+1", "x;'=1+1"),
        ("\t=1", "'\t'=1"),
        ("\n-", "'\n'-"),
        ("x; \t=1", "x; \t'=1"),
        ("x\n-1;y;@a", "x\n'-1;y;'@a"),
        ("x;＝1", "x;'＝1"),
        ("=1;=2", "'=1;'=2"),
    ):
        assert neutralise(text) == inert
