"""Bidding many deals at once: rewards are what a match would pay, and the deals are those they should be."""

import numpy as np
import pytest

from cuebid import Auction, BridgeError, Seat, Vulnerability, imps
from cuebid.doubledummy import random_deals
from cuebid.match import MatchBoards, run
from cuebid.networks import Architecture

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from selfplay_support import CPU, Pushy, PushyAgent, bid, drawn, worth

from cuebid.learn import rollout
from cuebid.learn.dealing import Deals, SolvedDeals
from cuebid.learn.networks import Layers
from cuebid.learn.rollout import advantages, duel, play


def test_imps_are_those_of_a_match(tmp_path):
    """Symmetries, two tables, contracts, scores and IMPs at once, against the plain match and the solver."""
    deals = drawn(60)
    boards = MatchBoards(
        deals.owner.numpy(), deals.dealer.numpy().astype(np.uint8), deals.vulnerability.numpy().astype(np.uint8), "here"
    )
    won = bid(deals, (Pushy(17), Pushy(20))).won
    result = run((PushyAgent(17), PushyAgent(20)), boards)
    assert float(won.double().mean()) == pytest.approx(result.plain.imps_per_board)
    assert int((won > 0).sum()) == result.plain.won
    mean, error = duel(deals, Pushy(17), Pushy(20))
    assert (mean, error) == pytest.approx((result.plain.imps_per_board, result.plain.standard_error), rel=1e-6)


@pytest.mark.parametrize("copies", [1, 3])
def test_every_call_carries_the_mean_imps_of_its_table(copies):
    """Found again with the plain types: each table's auction replayed, scored, and compared with the other seating."""
    deals = drawn(40, seed=1)
    deals.strict[::2] = True
    policy = Layers(Architecture(width=16, depth=1))
    seen = bid(deals, (policy, Pushy(20)), greedy=False, copies=copies, remember=True).seen
    auctions = [Auction(Seat(int(deals.dealer[table % 40]))) for table in range(2 * copies * 40)]
    for table, call in zip(seen.table.tolist(), seen.moments.call.tolist(), strict=True):
        auctions[table] = auctions[table].after(call)
    points = np.zeros(len(auctions), dtype=int)
    for table, auction in enumerate(auctions):
        contract = auction.contract
        if contract is not None:
            tricks = int(deals.tricks[table % 40, contract.declarer, contract.strain])
            vulnerable = Vulnerability(int(deals.vulnerability[table % 40])).includes(contract.declarer)
            score = worth(contract, tricks, vulnerable, bool(deals.strict[table % 40]))
            points[table] = score * (1, -1)[contract.declarer % 2]
    seated = points.reshape(2, copies, 40)
    for table in range(len(auctions)):
        others = seated[1 - table // (40 * copies), :, table % 40]
        mean = np.mean([imps(int(points[table] - other)) for other in others])
        rows = (seen.table == table).nonzero()[:, 0]
        side = torch.where(seen.north_south[rows], 1, -1)
        assert torch.equal(seen.moments.others[rows] * side[:, None], torch.tensor(others).expand(len(rows), copies))
        assert float(seen.earned[table]) * 24 == pytest.approx(mean, abs=1e-5)
    sign = torch.where(seen.north_south, 1.0, -1.0)
    assert torch.equal(seen.moments.reward, seen.earned[seen.table] * sign)
    legal = seen.moments.legal.gather(1, seen.moments.call[:, None])
    assert bool(legal.all())


def test_each_sits_where_it_should_and_sees_the_tricks_from_there():
    deals = drawn(30, seed=2)
    seen = bid(deals, (Pushy(17), Pushy(20)), remember=True, copies=2).seen
    first_seating = seen.table < 60
    assert torch.equal(seen.mine, seen.north_south == first_seating)
    turn = torch.where(seen.moments.bits[:, 428:480].bool(), 1, 0)
    for row in range(0, len(seen.table), 37):
        table = int(seen.table[row]) % 30
        mine = turn[row].reshape(13, 4).T.reshape(-1).bool()
        caller = int(deals.owner[table][mine].unique())
        declarers = [(caller + turned) % 4 for turned in range(4)]
        assert torch.equal(seen.moments.tricks[row].view(4, 5), deals.tricks[table][declarers])
    itself = play(deals, [Pushy(17)], torch.zeros(30, dtype=torch.int64), torch.Generator(), remember=True).seen
    assert bool(itself.mine.all())


def test_raw_score_is_the_tables_own():
    deals = drawn(100, seed=2)
    seen = bid(deals, (Pushy(17), Pushy(17)), remember=True, reward="score").seen
    points = (seen.moments.reward * rollout.LARGEST_SCORE).round().int()
    assert set((points % 10).tolist()) == {0}
    assert int(points.abs().max()) > 24


@pytest.mark.parametrize("trace", [0.0, 0.8, 1.0])
def test_advantages_are_the_sums_of_their_definition(trace):
    """Table by table: from the caller's side, the λ-weighted surprises of all later calls."""
    deals = drawn(20, seed=6)
    seen = bid(deals, (Layers(Architecture(width=16, depth=1)),), greedy=False, remember=True).seen
    expected = torch.rand(len(seen.table), generator=torch.Generator().manual_seed(1))
    got = advantages(seen, expected, trace)
    for table in range(40):
        rows = (seen.table == table).nonzero()[:, 0].tolist()
        sign = [1 if seen.north_south[row] else -1 for row in rows]
        worth = [float(expected[row]) * side for row, side in zip(rows, sign, strict=True)]
        worth.append(float(seen.earned[table]))
        for place, row in enumerate(rows):
            later = range(place, len(rows))
            total = sum(trace ** (step - place) * (worth[step + 1] - worth[step]) for step in later)
            assert float(got[row]) == pytest.approx(total * sign[place], abs=1e-5)


def test_drawn_deals_are_solved_deals_in_other_images():
    deals = drawn(12, seed=3)
    from cuebid.doubledummy import solve_tables

    assert (solve_tables(deals.owner.numpy()) == deals.tricks.numpy()).all()
    none = SolvedDeals(deals.owner, deals.tricks, "none").draw(50, torch.Generator())
    assert not none.vulnerability.any()
    assert set(none.dealer.tolist()) == {0, 1, 2, 3}


def test_training_never_deals_the_shipped_deals(tmp_path):
    """Nor any image of them; all others are dealt, the last ones only to watch."""
    images, others = drawn(30, seed=4), random_deals(5, 0, 70)
    owner = np.concatenate([images.owner.numpy(), others])[np.random.default_rng(1).permutation(100)]
    np.savez(tmp_path / "deals.npz", owner=owner, tricks=np.zeros((100, 4, 5), dtype=np.uint8))
    deals, watch = SolvedDeals.read([tmp_path / "deals.npz"], CPU, "random", 20)
    assert (len(deals), len(watch)) == (50, 20)
    kept = {row.tobytes() for row in np.concatenate([deals.owner.numpy(), watch.owner.numpy()])}
    assert kept == {row.tobytes() for row in others}
    assert not {row.tobytes() for row in deals.owner.numpy()} & {row.tobytes() for row in watch.owner.numpy()}


def test_deals_need_stores_with_enough_deals(tmp_path):
    with pytest.raises(BridgeError, match="too few"):
        SolvedDeals.read((), CPU, "random", 20_000)
    assert isinstance(drawn(3), Deals)
