"""Text in and out, and the errors a person meets."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuebid
from cuebid import Auction, BridgeError, Call, Card, Contract, Deal, Hand, Seat, Situation, Vulnerability


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("P", 0), ("p", 0), ("Pass", 0), ("PASS", 0), ("X", 1), ("Dbl", 1), ("dbl", 1), ("XX", 2), ("Rdbl", 2),
        ("1C", 3), ("1♣", 3), ("1n", 7), ("1N", 7), ("1NT", 7), ("2c", 8), ("7NT", 37), ("4♠", 21),
    ],
)  # fmt: skip
def test_calls_as_players_write_them(text, number):
    assert Call(text) == Call.parse(text) == number


@pytest.mark.parametrize("text", ["", "8C", "0N", "1", "C1", "1CC", "XXX", "Passs", "1NTT", "one club"])
def test_no_such_call(text):
    with pytest.raises(BridgeError, match="no such call"):
        Call(text)


@given(st.integers(0, 37))
def test_calls_come_back(number):
    call = Call(number)
    assert Call(str(call)) == Call(call.symbol) == Call(str(call).lower()) == call
    assert eval(repr(call)) == call


@pytest.mark.parametrize(
    "text",
    [
        "AKQ2.JT9.876.543",
        "AKQ2 JT9 876 543",
        "akq2.j109.876.543",
        " AKQ2   J109 876 543 ",
        "A K Q 2.J 10 9.8 7 6.5 4 3",
    ],
)
def test_hands_as_players_write_them(text):
    assert str(Hand(text)) == "AKQ2.JT9.876.543"


@pytest.mark.parametrize("text", ["AKQJT98765432...", "AKQJT98765432 - - -", "AKQJT98765432.-.-.-"])
def test_voids(text):
    assert Hand(text).shape == (13, 0, 0, 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("AKQ2.JT9.876.54", "13 cards; this one has 12"),
        ("AKQ2.JT9.876.5432", "13 cards; this one has 14"),
        ("AKQ2.JT9.876.544", "C4 is there twice"),
        ("AKQ2.JT9.876", "has 3"),
        ("AKQ2.JT9.876.54Z", "no such rank: 'Z'"),
        ("", "four suits"),
    ],
)
def test_wrong_hands_say_what_is_wrong(text, says):
    with pytest.raises(BridgeError, match=says):
        Hand(text)


@given(st.integers(0, 2**32))
def test_deals_come_back(seed):
    deal = Deal.random(seed)
    assert Deal(str(deal)) == Deal.from_owner(deal.owner) == deal
    turned = "E:" + " ".join(str(deal[Seat.E + step]) for step in range(4))
    assert Deal(turned) == deal
    for hand in deal:
        assert Hand(str(hand)) == Hand(iter(hand)) == hand
        assert sum(hand.shape) == 13
    assert sum(hand.hcp for hand in deal) == 40


def test_a_card_held_twice_in_a_deal():
    hand = "AKQ2.JT9.876.543"
    with pytest.raises(BridgeError, match="held by both N and E"):
        Deal([hand] * 4)


@pytest.mark.parametrize(("text", "card"), [("SA", 51), ("AS", 51), ("c2", 0), ("H10", 34), ("10H", 34), ("♦T", 21)])
def test_cards(text, card):
    assert Card(text) == card


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("4HXN", (4, 2, 0, 1)),
        ("3NTS", (3, 4, 2, 0)),
        ("3NS", (3, 4, 2, 0)),
        ("6♠xxw", (6, 3, 3, 2)),
        ("2D by E", (2, 1, 1, 0)),
        ("1NN", (1, 4, 0, 0)),
    ],
)
def test_contracts(text, means):
    contract = Contract.parse(text)
    assert (contract.level, contract.strain, contract.declarer, contract.doubled) == means
    assert Contract.parse(str(contract)) == contract


@pytest.mark.parametrize("text", ["", "4H", "8HN", "4HXXXN", "HXN", "4HXNS"])
def test_no_such_contract(text):
    with pytest.raises(BridgeError, match="no such contract"):
        Contract.parse(text)


def test_vulnerability_words_and_boards():
    for words, meaning in {
        ("none", "-", "Love", "o", 0): "none",
        ("NS", "n", 1): "ns",
        ("EW", "e"): "ew",
        ("All", "both", "b"): "both",
    }.items():
        for word in words:
            assert str(Vulnerability(word)) == meaning
    order = "none ns ew both  ns ew both none  ew both none ns  both none ns ew"
    assert [str(Vulnerability.of_board(number)) for number in range(1, 33)] == order.split() * 2
    assert [str(Seat.deals_board(number)) for number in range(1, 6)] == list("NESWN")


def test_situation_takes_text_or_values():
    text = Situation(hand="AKQ2.JT9.876.543", seat="N", dealer="W", vulnerability="none", calls=["1H"])
    typed = Situation(Hand("AKQ2.JT9.876.543"), Seat.N, Seat.W, Vulnerability.NONE, [Call("1H")])
    assert text == typed
    assert hash(text) == hash(typed)
    assert text.legal == Auction("W", ["1H"]).legal
    text.check_turn()


def test_situation_says_whose_turn_it_is():
    early = Situation(hand="AKQ2.JT9.876.543", seat="N", dealer="W", vulnerability="none", calls=["1H", "P"])
    assert early.legal == ()
    with pytest.raises(BridgeError, match="it is E's turn, not N's"):
        early.check_turn()
    over = Situation("AKQ2.JT9.876.543", dealer="W", calls=["1H", "P", "P", "P"])
    with pytest.raises(BridgeError, match="the auction is over"):
        over.check_turn()


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        (["1H", "1D"], "it is not above 1H"),
        (["X"], "there is no bid yet"),
        (["1H", "P", "X"], "only an opponent's bid"),
        (["1H", "X", "P", "P", "XX", "X"], "only an opponent's bid"),
        (["1H", "XX"], "only a bid of one's own side"),
        (["1H", "X", "P", "XX"], "only a bid of one's own side"),
        (["P", "P", "P", "P", "1C"], "the auction is over"),
        (["1H", "P", "P", "P", "P"], "the auction is over"),
    ],
)
def test_impossible_auctions_say_why(calls, says):
    with pytest.raises(BridgeError, match=says):
        Auction("N", calls)


def test_values_do_not_change_and_can_be_copied():
    situation = Situation("AKQ2.JT9.876.543", dealer="W", calls=["1H"])
    for value in (situation, situation.hand, situation.auction, Deal.random(1), Call("1N"), Contract.parse("4HXN")):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
        assert len({value, copy.copy(value)}) == 1
    for value, name in (
        (situation, "hand"),
        (situation.hand, "_mask"),
        (situation.auction, "calls"),
        (Deal.random(1), "hands"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_public_names():
    assert cuebid.imps(-620) == -12
    assert cuebid.Contract.parse("4HXN").score(tricks=9, vulnerable=True) == -200
    assert cuebid.Auction(dealer="N", calls=["7NT", "X"]).legal == (0, 2)
