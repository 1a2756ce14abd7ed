"""The scripts of bench/ import the right modules when they are run by `make bench`."""

import sys
from importlib import import_module

import pytest

from tests.support.paths import ROOT

BENCH = ROOT / "bench"


@pytest.mark.parametrize("addresses", [1, 3])
def test_each_file_of_an_attack_teaches_one_value_and_beside_the_first_of_an_address_all_share_three(
    db, monkeypatch, addresses
):
    # Last: a script there would hide the package of the same name.
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    play, world_of = import_module("_attack_play"), import_module("_attack_world")
    world = world_of.make_world("attacked", {})
    accounts = [world_of.make_account(world, n, addresses, approved=False) for n in range(3)]
    learnt = play.Attack(world, block=1, published=0, planned=None).run(accounts, days=1)
    assert learnt.files == learnt.values == addresses + 3
