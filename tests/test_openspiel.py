"""The rules, the scores and the 480 bits against OpenSpiel's bridge."""

import numpy as np
import pytest
from support import random_calls, random_start

from cuebid import Contract, Seat, Strain
from cuebid.vector import Auctions, Contracts, Hands, encodings

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is the oracle of these tests (extra [dev])")

AUCTION_TENSOR = slice(4, 484)  # behind four bits that tell the phase of the game


def _deal_actions(owner: np.ndarray) -> list[int]:
    """OpenSpiel deals card rank*4+suit to seats in turn from North."""
    hands = [[(card % 13) * 4 + card // 13 for card in np.flatnonzero(owner == seat).tolist()] for seat in range(4)]
    return [hands[place % 4][place // 4] for place in range(52)]


@pytest.mark.parametrize("vulnerability", range(4))
def test_5000_random_auctions(vulnerability):
    tables = 5_000
    rng = np.random.default_rng(vulnerability)
    owner, _, _ = random_start(tables, rng)
    settings = {
        "use_double_dummy_result": False,
        "dealer_vul": bool(vulnerability & 1),
        "non_dealer_vul": bool(vulnerability & 2),
    }
    game = pyspiel.load_game("bridge", settings)
    auctions = Auctions.start(np.zeros(tables, dtype=np.int64), np.full(tables, vulnerability))
    hands = Hands.of(owner)
    states = []
    for deal in owner:
        state = game.new_initial_state()
        for action in _deal_actions(deal):
            state.apply_action(action)
        states.append(state)

    buffer = np.zeros(571, dtype=np.float32)
    while not auctions.over.all():
        legal, bits, turn = auctions.legal(), encodings.policy(auctions, hands), auctions.turn
        calls = random_calls(legal | (np.arange(38) == 0), rng)
        for table in np.flatnonzero(~auctions.over):
            state = states[table]
            assert state.current_player() == turn[table]
            assert [action - 52 for action in state.legal_actions()] == np.flatnonzero(legal[table]).tolist()
            state.write_observation_tensor(buffer)
            assert (buffer[AUCTION_TENSOR] == bits[table]).all()
            state.apply_action(52 + int(calls[table]))
        auctions.step(calls)

    contracts = Contracts.of(auctions)
    for table, state in enumerate(states):
        if contracts.level[table] == 0:
            assert state.is_terminal()
            continue
        contract = auctions.to_game(table).contract
        assert game.contract_string(state.contract_index()) == _their_name(contract)
        assert state.current_player() == contract.declarer.lho, "the declarer's left-hand opponent leads"


LOPSIDED = [
    (0, 90, 3), (1, 92, 3), (7, 28, 3), (1, 9, 3), (2, 0, 3),
    (7, 34, 3), (2, 66, 3), (2, 74, 3), (1, 25, 3), (2, 6, 20),
]  # fmt: skip
"""Found by trying: together these deals take 0 to 13 tricks in every strain."""


@pytest.mark.parametrize("vulnerability", range(4))
def test_every_score(vulnerability):
    """All 35 bids x undoubled, doubled, redoubled x declarers."""
    settings = {"dealer_vul": bool(vulnerability & 1), "non_dealer_vul": bool(vulnerability & 2)}
    game = pyspiel.load_game("bridge", settings)
    deals = [_lopsided_deal(*how) for how in LOPSIDED]
    met = np.zeros((5, 14), dtype=bool)
    for owner in deals:
        state = game.new_initial_state()
        for action in _deal_actions(owner):
            state.apply_action(action)
        theirs = dict(zip(map(game.contract_string, range(421)), state.score_by_contract(), strict=True))
        assert theirs["Passed Out"] == 0
        for strain in Strain:
            for declarer in Seat:
                vulnerable = bool(vulnerability >> declarer % 2 & 1)
                sign = 1 if declarer % 2 == 0 else -1
                # The score of one odd trick, undoubled, tells the tricks; all other contracts must agree with them.
                one = Contract(1, strain, declarer)
                tricks = next(n for n in range(14) if sign * one.score(n, vulnerable) == theirs[_their_name(one)])
                met[strain, tricks] = True
                for level in range(1, 8):
                    for doubled in range(3):
                        contract = Contract(level, strain, declarer, doubled)
                        assert sign * contract.score(tricks, vulnerable) == theirs[_their_name(contract)]
    assert met.all(), "some result was never met"


def _lopsided_deal(top: int, seed: int, noise: float) -> np.ndarray:
    """A deal where North-South hold about that many of the top ranks in every suit, and else low cards."""
    rng = np.random.default_rng(seed)
    rank = np.arange(52) % 13
    wish = np.where(rank >= 13 - top, 0.0, rank + 1) + rng.random(52) * noise
    north_south = np.argsort(wish)[:26]
    owner = np.full(52, 1, dtype=np.uint8)
    owner[north_south] = 0
    for side in range(2):
        cards = rng.permutation(np.flatnonzero(owner == side))
        owner[cards[13:]] = side + 2
    return owner


def _their_name(contract: Contract) -> str:
    return f"{str(contract.bid).replace('NT', 'N')}{'X' * contract.doubled} {contract.declarer}"
