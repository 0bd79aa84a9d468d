"""What goes in comes out, in every format, for boards with everything a format can say."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cuebid import Auction, Call, Card, Contract, Deal, Hand, Seat, Strain, Vulnerability, formats
from cuebid.formats import PASSED_OUT, AnnotatedCall, Board, FormatError, PlayedCard, Section, lin, openspiel, pbn
from cuebid.formats.cardplay import next_player, taken

ODD = st.sampled_from([*"abcAZ09 |,;{}[]\"\\%#=*+-!^$&<>'_.:♠éß漢", "&#124;", "&#44;", "alerted: ", "not alerted: "])
LINE = st.lists(ODD, max_size=8).map("".join) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
NAME = LINE.filter(bool) | st.none()
COMMENT = st.lists(ODD | st.just("\n"), min_size=1, max_size=12).map("".join)
NO_COMMENT_OR = COMMENT | st.just("")
MARKS = st.lists(st.sampled_from(["!", "?", "!!", "!?", "$7", "$12"]), max_size=2).map(tuple)
TAG_NAMES = st.sampled_from(["Event", "Site", "Date", "Scoring", "Round", "HomeTeam", "Time", "zz", "x1"])
ROW = st.lists(st.sampled_from(list('ab12"[]{};\\')), max_size=8).map(lambda letters: "r" + "".join(letters))


@st.composite
def legal_calls(draw: st.DrawFn, dealer: Seat) -> tuple[Call, ...]:
    """An auction cut anywhere, often finished."""
    random = draw(st.randoms(use_true_random=False))
    stop = draw(st.none() | st.integers(0, 12))
    auction = Auction(dealer)
    while not auction.is_over and (stop is None or len(auction) < stop):
        legal = auction.legal
        auction = auction.after(legal[0] if random.random() < 0.6 else random.choice(legal[:12]))
    return auction.calls


@st.composite
def hands(draw: st.DrawFn) -> tuple[Hand | None, ...]:
    deal = Deal.random(draw(st.integers(0, 10**6)))
    known = draw(st.sets(st.sampled_from(Seat)).filter(lambda seats: len(seats) != 3) | st.just(set(Seat)))
    return tuple(hand if seat in known else None for seat, hand in zip(Seat, deal, strict=True))


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    row = st.tuples(*[st.integers(0, 13)] * 5)
    return draw(st.tuples(row, row, row, row))


@st.composite
def plays(draw: st.DrawFn, deal: Deal | None, contract: Contract) -> tuple[Card, ...]:
    """Cards in turn, from the hands when they are known; revokes are no matter here."""
    count = draw(st.integers(0, 51) | st.just(52))
    random = draw(st.randoms(use_true_random=False))
    if deal is None:
        return tuple(random.sample([Card(card) for card in range(52)], count))
    left = {seat: list(deal[seat]) for seat in Seat}
    cards: list[Card] = []
    while len(cards) < count:
        held = left[next_player(cards, contract)]
        cards.append(held.pop(random.randrange(len(held))))
    return tuple(cards)


@st.composite
def annotated_calls(
    draw: st.DrawFn, dealer: Seat, marks: st.SearchStrategy[tuple[str, ...]] = MARKS
) -> tuple[AnnotatedCall, ...]:
    calls = []
    for call in draw(legal_calls(dealer)):
        plain = draw(st.booleans())
        said = (draw(st.booleans()), draw(LINE), draw(NO_COMMENT_OR), draw(marks))
        calls.append(AnnotatedCall(call) if plain else AnnotatedCall(call, *said))
    return tuple(calls)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Boards as PBN, which says most, can say them."""
    dealer = draw(st.sampled_from(Seat) | st.none())
    calls = draw(st.none() | annotated_calls(dealer)) if dealer is not None else None
    room = draw(st.sampled_from([{}, {"Room": "Open"}, {"Room": "Closed"}]))
    tags = room | draw(st.dictionaries(TAG_NAMES, LINE.filter(lambda text: text and text[0] != "#"), max_size=4))
    board = Board(
        number=draw(NAME | st.sampled_from(["1", "27"])),
        hands=draw(hands()),  # type: ignore[arg-type]
        dealer=dealer,
        vulnerability=draw(st.sampled_from(Vulnerability) | st.none()),
        calls=calls,
        tricks=draw(st.none() | tables()),
        names=draw(st.tuples(NAME, NAME, NAME, NAME)),
        tags=tuple(sorted(tags.items(), key=lambda tag: _mandatory_first(tag[0]))),
        comments=tuple(draw(st.lists(COMMENT, max_size=3))),
    )
    if draw(st.booleans()):
        board = replace(
            board,
            sections=(Section("ScoreTable", "Rank;Contract\\5R", tuple(draw(st.lists(ROW, min_size=1, max_size=3)))),),
        )
    return draw(played(board))


def _mandatory_first(name: str) -> int:
    order = ["Event", "Site", "Date", "Scoring"]
    return order.index(name) if name in order else len(order)


@st.composite
def played(draw: st.DrawFn, board: Board) -> Board:
    """The same board with contract, play and result."""
    auction = board.auction
    is_over = auction is not None and auction.is_over
    if not is_over and draw(st.booleans()):
        contract = Contract(
            draw(st.integers(1, 7)), draw(st.sampled_from(Strain)), draw(st.sampled_from(Seat)), draw(st.integers(0, 2))
        )
        board = replace(board, contract=draw(st.just(contract) | st.just(PASSED_OUT)))
    if not isinstance(board.contract, Contract):
        return replace(board, in_progress=auction is not None and not is_over and draw(st.booleans()))
    cards = draw(plays(board.deal, board.contract))
    play = tuple(
        PlayedCard(card) if draw(st.booleans()) else PlayedCard(card, draw(LINE), draw(NO_COMMENT_OR), draw(MARKS))
        for card in cards
    )
    calling = auction is not None and not is_over
    in_progress = draw(st.booleans()) and (calling or len(play) < 52)
    result = taken(cards, board.contract)
    return replace(
        board,
        play=play,
        in_progress=in_progress,
        result=draw(st.none() | st.integers(0, 13)) if result is None else result,
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(boards(), min_size=1, max_size=3))
def test_pbn(made: list[Board]) -> None:
    text = pbn.render(made)
    assert pbn.parse(text).boards == tuple(made)
    assert pbn.parse(text.replace("\n", "\r\n")).boards == tuple(made)
    assert pbn.render(pbn.parse(text)) == text


def as_lin(board: Board) -> Board:
    """What LIN can say of a board."""
    is_over = board.auction is not None and board.auction.is_over
    calls = board.calls and tuple(replace(call, marks=()) for call in board.calls)
    play = tuple(replace(card, marks=(), explanation="") for card in board.play)
    letters = tuple(tag for tag in board.tags if len(tag[0]) == 2)
    in_room = board.number is not None and board.number.isascii() and board.number.isdigit() and len(board.number) < 5
    room = tuple(tag for tag in board.tags if in_room and tag in (("Room", "Open"), ("Room", "Closed")))
    board = replace(board, calls=calls, tricks=None, sections=(), tags=room + letters, in_progress=False)
    if is_over:
        return replace(board, play=play)
    return replace(board, play=(), result=None, contract=None)


@settings(max_examples=150, deadline=None)
@given(st.lists(boards(), min_size=1, max_size=3))
def test_lin_keeps_what_it_can_say(made: list[Board]) -> None:
    text = lin.render(made)
    assert lin.parse(text).boards == tuple(map(as_lin, made))
    assert lin.render(lin.parse(text)) == text


@settings(max_examples=100, deadline=None)
@given(boards())
def test_pbn_to_lin_to_pbn(board: Board) -> None:
    there = lin.parse(lin.render(pbn.parse(pbn.render([board]))))
    assert pbn.parse(pbn.render(there)).boards == (as_lin(board),)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_openspiel(data: st.DataObject) -> None:
    deal = Deal.random(data.draw(st.integers(0, 10**6)))
    calls = tuple(map(AnnotatedCall, data.draw(legal_calls(Seat.N))))
    board = Board(hands=deal.hands, dealer=Seat.N, vulnerability=Vulnerability.NONE, calls=calls)
    if isinstance(board.contract, Contract) and board.auction and board.auction.is_over:
        cards = data.draw(plays(deal, board.contract))
        board = replace(board, play=tuple(map(PlayedCard, cards)), result=taken(cards, board.contract))
    text = openspiel.render([board, board])
    assert text.count("\n") == 2
    assert openspiel.parse(text).boards == (board, board)


@settings(max_examples=50, deadline=None)
@given(boards())
def test_openspiel_says_what_it_cannot_say(board: Board) -> None:
    assume(board.deal is None or board.dealer != Seat.N or board.vulnerability != Vulnerability.NONE)
    with pytest.raises(FormatError, match=r"^<text>:1: expected .*which OpenSpiel cannot say$"):
        openspiel.render([board])


@pytest.mark.parametrize("suffix", ["pbn", "lin", "txt"])
def test_files(tmp_path: object, suffix: str) -> None:
    path = f"{tmp_path}/boards.{suffix}"
    made = [
        Board(hands=Deal.random(seed).hands, dealer=Seat.N, vulnerability=Vulnerability.NONE, calls=())
        for seed in range(3)
    ]
    formats.write(path, islice(made, 3))
    assert list(formats.read(path)) == made
    assert len(formats.read(path)) == 3


def test_three_hands_give_the_fourth() -> None:
    north, east, south, west = Deal.random(1)
    assert Board(hands=(north, None, south, west)).hands[Seat.E] == east
