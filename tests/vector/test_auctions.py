from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support import ARRAYS, as_torch, random_calls, random_start

from cuebid import Auction, Call, Contract, Seat, Strain, Vulnerability, imps
from cuebid.vector import Auctions, Contracts
from cuebid.vector import imps as vector_imps


def test_every_table_goes_as_the_rules_say():
    """100,000 tables on NumPy and on Torch at once, each beside the plain rules."""
    tables = 100_000
    rng = np.random.default_rng(2)
    _, dealer, vulnerability = random_start(tables, rng)
    tricks = rng.integers(0, 14, (tables, 4, 5))
    kinds = [np.asarray, as_torch]
    tracks = [Auctions.start(array(dealer), array(vulnerability)) for array in kinds]
    games = [Auction(Seat(seat)) for seat in dealer.tolist()]

    while not all(game.is_over for game in games):
        over, turn = [game.is_over for game in games], [game.turn for game in games]
        legal = [_as_bits(game.legal) for game in games]
        for auctions in tracks:
            assert auctions.over.tolist() == over
            assert auctions.turn.tolist() == turn
            assert (np.asarray(auctions.legal()) @ (1 << np.arange(38))).tolist() == legal
        calls = random_calls(tracks[0].legal() | (np.arange(38) == 0), rng)
        for array, auctions in zip(kinds, tracks, strict=True):
            auctions.step(array(calls))
        games = [
            game if ended else game.after(Call(call))
            for game, ended, call in zip(games, over, calls.tolist(), strict=True)
        ]

    for array, auctions in zip(kinds, tracks, strict=True):
        contracts = Contracts.of(auctions)
        won = contracts.tricks(array(tricks))
        assert [*map(_contract, *(np.asarray(part).tolist() for part in _parts(contracts)))] == [
            game.contract for game in games
        ]
        points = contracts.score(won, array(vulnerability)).tolist()
        perfect = contracts.score(won, array(vulnerability), perfect_defence=True).tolist()
        for table, game in enumerate(games):
            contract, n = game.contract, int(won[table])
            assert points[table] == _north_south(contract, n, vulnerability[table])
            if contract and n < contract.tricks_needed and not contract.doubled:
                contract = replace(contract, doubled=1)
            assert perfect[table] == _north_south(contract, n, vulnerability[table])
        for table in range(0, tables, 97):
            assert auctions.to_game(table) == games[table]


def _parts(contracts):
    return contracts.level, contracts.strain, contracts.declarer, contracts.doubled


def _contract(level, strain, declarer, doubled):
    return Contract(level, Strain(strain), Seat(declarer), doubled) if level else None


@cache
def _as_bits(legal: tuple[Call, ...]) -> int:
    return sum(1 << call for call in legal)


def _north_south(contract, tricks, vulnerability):
    if contract is None:
        return 0
    points = contract.score(tricks, Vulnerability(int(vulnerability)).includes(contract.declarer))
    return points if contract.declarer in (Seat.N, Seat.S) else -points


@pytest.mark.parametrize("array", ARRAYS)
def test_imps(array):
    points = np.arange(-8000, 8001, 10)
    assert np.asarray(vector_imps(array(points))).tolist() == [imps(point) for point in points.tolist()]


def after_random_calls(array, tables, turns, rng):
    """Auctions after so many turns, and their dealers."""
    _, dealer, vulnerability = random_start(tables, rng)
    auctions = Auctions.start(array(dealer), array(vulnerability))
    for _ in range(turns):
        auctions.step(array(random_calls(np.asarray(auctions.legal()) | (np.arange(38) == 0), rng)))
    return auctions, dealer


@pytest.mark.parametrize("array", ARRAYS)
def test_selected_tables_live_on_alone(array):
    whole, dealer = after_random_calls(array, 1_000, 4, np.random.default_rng(3))
    index = array(np.arange(0, 1_000, 7))
    part = whole.select(index)
    before = np.asarray(whole.history).copy()
    part.step(array(np.zeros(len(part), dtype=np.int64)))
    assert (np.asarray(whole.history) == before).all(), "stepping the copy moved the original"
    assert (np.asarray(part.dealer) == dealer[::7]).all()
    assert part.to_game(3).calls[: len(whole.to_game(21).calls)] == whole.to_game(21).calls


@pytest.mark.parametrize("array", ARRAYS)
def test_restarted_tables_begin_anew(array):
    """The others go on; the new auctions are those of tables that have just begun."""
    rng = np.random.default_rng(4)
    auctions, dealer = after_random_calls(array, 400, 9, rng)
    before = [auctions.to_game(table) for table in range(400)]
    over = np.asarray(auctions.over)
    assert 20 < over.sum() < 380
    auctions.restart(array(over))
    for table in range(400):
        assert auctions.to_game(table) == (Auction(Seat(int(dealer[table]))) if over[table] else before[table])
    calls = random_calls(np.asarray(auctions.legal()), rng)
    auctions.step(array(calls))
    assert auctions.to_game(0).calls[-1] == calls[0]
