"""Archives of runs, honest and hostile."""

import contextlib
import gzip
import io
import stat
import tarfile
import tempfile
import zipfile
from dataclasses import replace

import pytest
from hypothesis import example, settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from tests.support.scoring.files import as_tar, as_zip, refused
from wardboard.scoring.reading import archives
from wardboard.scoring.reading.archives import is_archive, run_names
from wardboard.scoring.reading.limits import MIB, Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

SMALL = replace(Limits(), body_bytes=100_000)
FILES = {"b.json": b"{}", "a.json": b"x" * 512, "deep/c.json": bytes(range(256)) * 50}


def as_plain_tar(files, **options):
    return as_tar(files, mode="w", **options)


ARCHIVES = [as_zip, as_tar, as_plain_tar]


def unpacked(raw, limits=SMALL, **options):
    """Return the files of an archive, and the names of what is left out."""
    # On the disk, as an upload is: its errors are others than those of bytes in memory.
    with tempfile.TemporaryFile() as source:
        source.write(raw)
        assert is_archive(source), "it is not taken for an archive"
        files, left_out = archives.unpack(source, limits, io.BytesIO, **options)
    return {name: file.getvalue() for name, file in files.items()}, left_out


def unpack(raw, limits=SMALL):
    return unpacked(raw, limits)[0]


def codes(raw, limits=SMALL):
    return [problem.code for problem in refused(unpack, raw, limits)]


def test_other_files_and_office_documents_are_no_archives():
    for raw in (b"", b"{}", b"\x1f\x8b", b"PK", b"\x1f\x8b\x08" + bytes(17)):
        assert not is_archive(io.BytesIO(raw)), raw
    assert not is_archive(io.BytesIO(as_zip({"[Content_Types].xml": b"<x/>"})))
    assert is_archive(io.BytesIO(as_zip(FILES)))


@pytest.mark.parametrize("pack", ARCHIVES)
def test_a_name_that_leads_elsewhere_or_cannot_be_shown_or_is_there_twice_is_refused(pack):
    for name in ("../up", "/etc/passwd", "a/../../b", "C:x", "a\u202eb", "a\nb"):
        assert codes(pack({name: b"x"})) == ["archive.member"], name
    for other in ("out//a.json", "out/./a.json", "./out/a.json"):
        assert codes(pack({"out/a.json": b"1", other: b"2"})) == ["archive.member"], other


def test_backslashes_of_a_zip_made_on_windows_lead_into_folders_and_not_out_of_them():
    assert unpack(as_zip({"out\\runs.jsonl": b"x", "out\\": b""})) == {"out/runs.jsonl": b"x"}
    assert codes(as_zip({"..\\up": b"x"})) == ["archive.member"]
    assert codes(as_plain_tar({"a\\b": b"x"})) == ["archive.member"]


@pytest.mark.parametrize("pack", ARCHIVES)
def test_every_file_comes_out_as_it_went_in_and_what_is_no_result_is_left_out_and_named(pack):
    junk = {"__MACOSX/._a.json": b"junk", ".DS_Store": b"junk", "deep/.hidden": b"junk"}
    assert unpacked(pack({**FILES, **junk})) == (FILES, [])
    files = {
        "a/error.jsonl": b"1",
        "a/runs.jsonl": b"2",
        "a/overall.json": b"3",
        "a/traces/task1_1.json": b"3",
        "b/overall.json": b"4",
        "README.md": b"5",
        "Config.YAML": b"6",
        "Thumbs.db": b"7",
    }
    read, left_out = unpacked(pack(files))
    assert list(read) == ["a/runs.jsonl", "b/overall.json"]
    assert left_out == [
        "a/error.jsonl",
        "a/overall.json",
        "a/traces/task1_1.json",
        "README.md",
        "Config.YAML",
    ]
    assert list(unpacked(pack(FILES), most=2)[0]) == [*FILES][:2]
    # Of nothing else, the files are named for what they are.
    assert unpack(pack({"results.txt": b"x"})) == {"results.txt": b"x"}


def test_files_of_the_same_name_are_told_apart_by_their_folders():
    assert run_names(["out/a.json", "out/b/c.json"]) == ["a.json", "c.json"]
    assert run_names(["out/1/std/runs.jsonl", "out/2/std/runs.jsonl"]) == [
        "1/std/runs.jsonl",
        "2/std/runs.jsonl",
    ]
    assert run_names(["runs.jsonl"]) == ["runs.jsonl"]
    assert run_names(["out/runs.jsonl", "out/runs.jsonl"]) == ["runs.jsonl", "runs.jsonl"]


@pytest.mark.parametrize("pack", ARCHIVES)
def test_an_archive_in_an_archive_and_files_beyond_the_limit_are_refused(pack):
    for inner in ARCHIVES:
        assert codes(pack({"inner": inner(FILES)})) == ["archive.nested"]
    assert codes(pack({"bomb": bytes(20 * MIB)})) == ["archive.too-large"]
    assert codes(pack({str(n): b"x" * 30_000 for n in range(5)})) == ["archive.too-large"]
    raw = pack({f"{number}.json": bytes(9000) for number in range(9)})
    assert codes(raw, replace(SMALL, seconds=-1)) == ["records.too-slow"]


def test_a_small_tar_is_not_unpacked_far_beyond_its_ratio(monkeypatch):
    class Target(io.BytesIO):
        def write(self, data):
            written.append(len(data))
            return super().write(data)

    written = []
    monkeypatch.setattr(archives, "TemporaryFile", Target)
    assert codes(as_tar({"bomb": bytes(64 * MIB)}), Limits()) == ["archive.too-large"]
    assert sum(written) < 20 * MIB


def test_a_file_that_is_encrypted_of_another_method_or_a_link_is_refused_and_an_empty_archive():
    raw = bytearray(as_zip({"a": b"x"}))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    assert codes(bytes(raw)) == ["archive.member"]
    assert codes(as_zip({"a": b"x"}, method=zipfile.ZIP_LZMA)) == ["archive.member"]
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert codes(file.getvalue()) == ["archive.member"]
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        link = tarfile.TarInfo("link")
        link.type, link.linkname = kind, "/etc/passwd"
        assert codes(as_tar({}, members=[link])) == ["archive.member"], kind
    assert codes(as_zip({})) == codes(as_zip({"folder/": b""})) == ["archive.damaged"]


@pytest.mark.parametrize("pack", ARCHIVES)
def test_an_archive_of_very_many_entries_is_not_read_to_its_end(pack):
    assert "archive.too-large" in codes(pack({f"d{n}/": b"" for n in range(20_002)}), Limits())


def test_a_directory_or_a_header_that_would_fill_the_memory_is_refused():
    assert codes(as_zip({f"{n}{'x' * 200}/": b"" for n in range(24_000)})) == ["archive.too-large"]
    info = tarfile.TarInfo("a" * 100)
    info.pax_headers = {"comment": "x" * (5 * MIB)}
    assert codes(as_tar({}, members=[info]), Limits()) == ["archive.too-large"]


@pytest.mark.parametrize("pack", ARCHIVES)
def test_an_archive_that_is_cut_off_or_follows_another_is_damaged(pack):
    raw = pack({"a.json": bytes(range(256)) * 100})
    assert codes(raw[: len(raw) // 2]) == ["archive.damaged"]
    assert codes(pack({"a.json": b"1"}) + pack({"b.json": b"2"})) == ["archive.damaged"]


@pytest.mark.parametrize("write", [bytes, gzip.compress])
def test_a_tar_that_lost_its_last_run_is_damaged_and_not_one_of_fewer_runs(write):
    plain, last = as_plain_tar({"a.json": b"a" * 700, "b.json": b"b" * 700}), 512 + 1024
    for cut in (last, last + 100, last + 512):
        assert codes(write(plain[:cut])) == ["archive.damaged"], cut
    assert codes(write(plain[:last] + b"x" * 512 + plain[last + 512 :])) == ["archive.damaged"]
    for blocks in (1, 2, 20):
        ended = as_plain_tar({"a.json": b"a" * 700})[:last] + bytes(512 * blocks)
        assert unpack(write(ended)) == {"a.json": b"a" * 700}, blocks


@settings(max_examples=examples(200), deadline=None)
@example(pack=as_zip, files={"\0": b""}, changes=[], cut=0)
@given(
    pack=st.sampled_from(ARCHIVES),
    files=st.dictionaries(st.text(min_size=1, max_size=8), st.binary(max_size=600), max_size=4),
    changes=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=6),
    cut=st.integers(0, 3000),
)
def test_no_bytes_raise_anything_but_problems_nor_unpack_to_more_than_the_limit(pack, files, changes, cut):
    try:
        raw = bytearray(pack(files))
    except (ValueError, UnicodeError):
        return
    for place, byte in changes:
        raw[place % len(raw)] = byte
    raw = bytes(raw[: len(raw) - cut]) if cut < len(raw) else bytes(raw)
    source = io.BytesIO(raw)
    if not is_archive(source):
        return
    written = []

    def new_file():
        written.append(io.BytesIO())
        return written[-1]

    with contextlib.suppress(SubmissionInvalid):
        archives.unpack(source, SMALL, new_file)
    assert sum(len(file.getvalue()) for file in written) <= SMALL.body_bytes
