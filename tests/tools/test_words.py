"""The check for retired words finds them wherever a text has them, and not in code."""

from tools.words import retired_words


def words_in(text: str) -> list[str]:
    return [word for word, _ in retired_words(text)]


def test_a_retired_word_is_found_before_and_after_code():
    assert words_in(
        "The board\n\n    make board\n\nand its `boards` of [boards](boards.md) in docs/boards.md"
    ) == [
        "board",
        "boards",
    ]


def test_an_exception_counts_only_with_the_words_around_it():
    assert words_in("as FHIR references do") == []
    assert words_in("the references") == ["references"]
