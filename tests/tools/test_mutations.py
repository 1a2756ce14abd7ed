"""tools/mutations.py: a fault that a test finds differs from one that lives; a stale list is refused."""

import pytest

from tools import mutations

CODE = "def is_owner(user):\n    return user == 1\n"
TESTS = "from code_of import is_owner\n\n\ndef test_owner():\n    assert is_owner(1)\n"


def _mutation(**values) -> mutations.Mutation:
    fault = {"name": "anyone owns", "kind": "rights", "file": "code_of.py", "tests": ["test_code.py"]}
    return mutations.Mutation(**fault | {"original": "user == 1", "mutated": "True"} | values)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    # These tests need none, and each start would import them.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "code_of.py").write_text(CODE)
    (tmp_path / "test_code.py").write_text(TESTS)
    return tmp_path


def test_a_fault_is_killed_or_lives_and_the_code_is_as_before(copy):
    killed = mutations.try_out(_mutation(mutated="user == 2"), copy)
    assert killed.killer == "test_code.py::test_owner"
    assert not mutations.try_out(_mutation(), copy).killer
    assert (copy / "code_of.py").read_text() == CODE


def test_tests_that_fail_without_the_fault_and_none_at_all_are_no_verdict(copy):
    with pytest.raises(mutations.ListUnfit, match="no test is chosen"):
        mutations.try_out(_mutation(words="nothing_like_it"), copy)
    (copy / "test_code.py").write_text(TESTS.replace("is_owner(1)", "is_owner(3)"))
    with pytest.raises(mutations.ListUnfit, match="fails without it, too"):
        mutations.try_out(_mutation(mutated="False"), copy)


def test_a_list_that_does_not_fit_the_code_is_refused(copy):
    (copy / "tools").mkdir()
    listed = '[[mutation]]\nname = "n"\nkind = "luck"\nfile = "code_of.py"\noriginal = "user == 3"\n'
    (copy / mutations.LIST).write_text(listed + 'mutated = ""\ntests = ["gone.py"]\n')
    with pytest.raises(mutations.ListUnfit) as refused:
        mutations.read_mutations(copy)
    assert "luck is no kind\nn: the original text stands 0 times" in str(refused.value).replace(
        "n: luck", "luck"
    )
    assert "gone.py does not exist" in str(refused.value)
