import numpy as np
import pytest
from support import ARRAYS, random_calls, random_start

from cuebid import Auction, Deal, Vulnerability
from cuebid.vector import Auctions, Hands, encodings


def _some_auctions(array, tables=400, seed=5, dealer=None):
    """Auctions with their hands, a round of calls at a time."""
    rng = np.random.default_rng(seed)
    owner, dealers, vulnerability = random_start(tables, rng)
    dealers = dealers if dealer is None else np.full(tables, dealer)
    auctions, hands = Auctions.start(array(dealers), array(vulnerability)), Hands.of(array(owner))
    while not np.asarray(auctions.over).all():
        yield auctions, hands, owner
        legal = np.asarray(auctions.legal()) | (np.arange(38) == 0)
        auctions.step(array(random_calls(legal, rng)))


def _plain_policy_bits(auction: Auction, vulnerability: Vulnerability, deal: Deal) -> list[int]:
    """The 480 bits from the words of docs/encodings.md, slowly, for any dealer."""
    me = auction.turn
    bits = [0] * 480
    bits[int(vulnerability.includes(me))] = 1
    bits[2 + int(vulnerability.includes(me.lho))] = 1
    highest = None
    for seat, call in auction:
        distance = seat - me
        if call.is_bid:
            highest = call - 3
            bits[8 + 12 * highest + distance] = 1
        elif call == 0 and highest is None:
            bits[4 + distance] = 1
        elif call in (1, 2):
            bits[8 + 12 * highest + 4 * call + distance] = 1
    for card in deal[me]:
        bits[428 + 4 * card.rank + card.suit] = 1
    return bits


def _plain_jps_bits(auction: Auction, vulnerability: Vulnerability, deal: Deal) -> list[int]:
    me = auction.turn
    bits = [0] * 267
    for card in deal[me]:
        bits[13 * card.suit + card.rank] = 1
    highest = None
    for seat, call in auction:
        if call.is_bid:
            highest = call - 3
            bits[(52, 122, 87, 157)[seat - me] + highest] = 1
        elif call:
            bits[192 + highest] = 1
    bits[227:229] = int(vulnerability) & 1, int(vulnerability) >> 1
    for call in auction.legal:
        bits[229 + call] = 1
    return bits


LONGEST = [0, 0, 0] + [call for bid in range(3, 38) for call in (bid, 0, 0, 1, 0, 0, 2, 0, 0)]


def _plain_rong_bits(auction: Auction, vulnerability: Vulnerability, deal: Deal) -> list[int]:
    me = auction.turn
    bits = [0] * 372
    for card in deal[me]:
        bits[13 * card.suit + card.rank] = 1
    bits[52:54] = int(vulnerability.includes(me)), int(vulnerability.includes(me.lho))
    place = -1
    for _, call in auction:
        place = LONGEST.index(call, place + 1)
        bits[54 + place] = 1
    return bits


PLAIN = [
    (encodings.policy, _plain_policy_bits, 480),
    (encodings.jps, _plain_jps_bits, 267),
    (encodings.rong, _plain_rong_bits, 372),
]


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize(("encode", "plain", "width"), PLAIN)
def test_bits_are_those_of_a_slow_reading(array, encode, plain, width):
    for auctions, hands, owner in _some_auctions(array):
        bits = np.asarray(encode(auctions, hands))
        assert bits.shape == (len(owner), width)
        for table in range(0, len(owner), 11):
            if auctions.over[table]:
                continue
            vulnerability = Vulnerability(int(auctions.vulnerability[table]))
            deal = Deal.from_owner(owner[table].tolist())
            assert bits[table].tolist() == plain(auctions.to_game(table), vulnerability, deal)


@pytest.mark.parametrize("array", ARRAYS)
def test_value_adds_the_other_hands(array):
    for auctions, hands, owner in _some_auctions(array, tables=50):
        bits = np.asarray(encodings.value(auctions, hands))
        assert (bits[:, :480] == np.asarray(encodings.policy(auctions, hands))).all()
        turn = np.asarray(auctions.turn)
        for distance in range(4):
            seat = (turn + distance) % 4
            held = (owner == seat[:, None]).reshape(-1, 4, 13).transpose(0, 2, 1).reshape(-1, 52)
            assert (bits[:, 428 + 52 * distance : 480 + 52 * distance] == held).all()


@pytest.mark.parametrize("encode", [encodings.policy, encodings.value, encodings.rong])
def test_turning_the_table_changes_nothing(encode):
    rng = np.random.default_rng(6)
    owner, dealer, vulnerability = random_start(300, rng)
    turns = [Auctions.start((dealer + turn) % 4, _turned(vulnerability, turn)) for turn in range(4)]
    hands = [Hands.of(((owner + turn) % 4).astype(np.uint8)) for turn in range(4)]
    while not turns[0].over.all():
        bits = [encode(auctions, hand) for auctions, hand in zip(turns, hands, strict=True)]
        assert all((other == bits[0]).all() for other in bits[1:])
        calls = random_calls(turns[0].legal() | (np.arange(38) == 0), rng)
        for auctions in turns:
            auctions.step(calls)


def _turned(vulnerability: np.ndarray, turn: int) -> np.ndarray:
    return vulnerability if turn % 2 == 0 else (vulnerability >> 1) | (vulnerability & 1) << 1


@pytest.mark.parametrize("array", ARRAYS)
def test_jps_example_of_the_paper(array):
    """Figure 4 of Tian et al.: East 1♣, South 1♥, West 1♠ ... as South sees it after North's 2♣."""
    # North 1♣, doubled by East, South 1♥, West 1♠, North 2♣, East passes; South to call.
    auctions = Auctions.start(array(np.array([0])), array(np.array([1])))
    owner = np.repeat(np.arange(4, dtype=np.uint8), 13)[None]
    for call in (3, 1, 5, 6, 8, 0):
        auctions.step(array(np.array([call])))
    bits = np.asarray(encodings.jps(auctions, Hands.of(array(owner))))[0]
    assert bits.shape == (267,)
    assert np.flatnonzero(bits[:52]).tolist() == list(range(26, 39))
    own, partner, left, right, doubled = bits[52:227].reshape(5, 35)
    assert np.flatnonzero(own).tolist() == [2]
    assert np.flatnonzero(partner).tolist() == [0, 5]
    assert np.flatnonzero(left).tolist() == [3]
    assert not right.any()
    assert np.flatnonzero(doubled).tolist() == [0]
    assert bits[227:229].tolist() == [1, 0]
    assert (bits[229:] == np.asarray(auctions.legal())[0]).all()


@pytest.mark.parametrize("array", ARRAYS)
def test_rong_example_of_the_paper(array):
    """Figure 1 of Rong et al.: P P 1♣ X XX P 1♥ P P X is 110, 100100110, nine zeros, 111100000."""
    auctions = Auctions.start(array(np.array([2])), array(np.array([2])))
    owner = np.repeat(np.arange(4, dtype=np.uint8), 13)[None]
    for call in (0, 0, 3, 1, 2, 0, 5, 0, 0, 1):
        auctions.step(array(np.array([call])))
    bits = np.asarray(encodings.rong(auctions, Hands.of(array(owner))))[0]
    assert bits.shape == (372,)
    assert np.flatnonzero(bits[:52]).tolist() == list(range(13))
    assert bits[52:54].tolist() == [0, 1]
    marks = "110" + "100100110" + "0" * 9 + "111100000"
    assert "".join(map(str, bits[54 : 54 + len(marks)])) == marks
    assert not bits[54 + len(marks) :].any()
