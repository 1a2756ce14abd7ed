"""The front page."""

from tests.support.factories import make_demo, make_published


def test_the_names_of_systems_are_escaped(visitor, user, good_file):
    # The front page lists the changes of a board that is not a demonstration.
    board = make_demo(slug="real", title="Real board", is_demo=False)
    make_published(user, board, good_file, system="<script>alert(1)</script>")
    content = visitor.get("/").content.decode()
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert" in content
