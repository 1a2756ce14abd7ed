"""What a spreadsheet and pandas make of our CSV files."""

import csv
import io

import pytest

from leaderboard.services.exports.csv_json import neutralise, write_csv

NAMES = ["NaN", "null", "NA", "-", "1e5", "00123", '"quoted"', "'tis", "TRUE", "醫療 é", "a, b; c"]


def written(names) -> bytes:
    return "".join(write_csv({"system": name, "score": None} for name in names)).encode()


def test_a_file_begins_with_one_byte_order_mark_which_readers_of_utf_8_sig_drop():
    content = written(NAMES)
    assert content.startswith(b"\xef\xbb\xbfsystem,score\r\n")
    assert content.count(b"\xef\xbb\xbf") == 1
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert [row["system"] for row in rows] == NAMES


def test_an_empty_table_is_an_empty_file():
    assert "".join(write_csv([])) == ""


def test_pandas_keeps_every_name_when_it_is_asked_as_documented():
    import pandas as pd

    table = pd.read_csv(
        io.BytesIO(written(NAMES)), keep_default_na=False, na_values=[""], dtype={"system": str}
    )
    assert list(table.columns) == ["system", "score"]
    assert table["system"].tolist() == NAMES
    assert table["score"].isna().all()


@pytest.mark.parametrize("text", ["-", "+", "=", "@"])
def test_a_sign_alone_is_no_formula(text):
    assert neutralise(text) == text


@pytest.mark.parametrize("text", ["=cmd()", "-1+1", "＝1", "\t", "\r"])
def test_a_formula_and_a_cell_break_are_marked(text):
    assert neutralise(text) == f"'{text}"
