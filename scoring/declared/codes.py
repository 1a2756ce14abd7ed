"""Codes of problems of a declaration, and of the answers and references of a declared benchmark."""

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.messages import phrase


class DeclarationCode(ProblemCode):
    """Problems of the file that declares a benchmark."""

    YAML = (
        "declaration.yaml",
        "The file is not plain YAML: it has an error, a tag, an alias or anchor, or a key twice.",
        phrase(
            "Write each value once, where it belongs, without `&`, `*` and `!`; or write the file as JSON."
        ),
    )
    FIELD = (
        "declaration.field",
        "A field is missing, unknown, or holds a value of another type or form.",
        phrase("Write the field as docs/declared.md has it."),
    )
    PATTERN = (
        "declaration.pattern",
        "A regular expression is not one of RE2, or has no group or several.",
        phrase("Write a pattern of RE2 with exactly one group in parentheses; (?:…) is no group."),
    )
    CONFLICT = (
        "declaration.conflict",
        "Two fields do not fit together.",
        phrase("Change one of them, or leave it out."),
    )
