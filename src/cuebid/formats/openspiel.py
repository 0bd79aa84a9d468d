"""OpenSpiel's bridge trajectories: a line of action numbers for each board.

First 52 cards (`rank*4 + suit`, suits C D H S) dealt in turn from North, then calls (52 pass, 53 double, 54 redouble,
55 on for 1C up), then the cards played. North deals and nobody is vulnerable: other boards cannot be written, and what
else is known of a board (names, comments, explanations) is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cuebid.formats.board import AnnotatedCall, Board, PlayedCard, Reading, gather, plain_lines
from cuebid.formats.cardplay import taken
from cuebid.formats.errors import FormatError, expecting, got
from cuebid.game import Auction, Card, Deal, Hand, Seat, Vulnerability

_ACTIONS = {str(number): number for number in range(90)}
_FIRST_CALL = 52


def parse(text: str, file: str = "<text>", strict: bool = True) -> Reading:
    """Read the boards of a text; see `cuebid.formats.read`."""
    return gather(_boards(text), file, strict)


def render(boards: Iterable[Board], file: str = "<text>") -> str:
    """Write boards, one to a line."""
    return "".join(_line(board, number, file) for number, board in enumerate(boards, 1))


def _boards(text: str) -> Iterator[Board | FormatError]:
    for number, line in enumerate(plain_lines(text).split("\n"), 1):
        if line.strip():
            try:
                yield _board(line.split(), number)
            except FormatError as error:
                yield error


def _board(words: list[str], line: int) -> Board:
    for word in words:
        if word not in _ACTIONS:
            raise FormatError(line, "action numbers 0 to 89 apart by spaces", got(word))
    actions = [_ACTIONS[word] for word in words]
    if len(actions) < 52:
        raise FormatError(line, "52 cards to be dealt", f"got {len(actions)}")
    with expecting("52 different cards dealt", line):
        dealt = [_card(action) for action in actions[:52]]
        deal = Deal(Hand(dealt[seat::4]) for seat in range(4))
    first_card = next((at for at in range(52, len(actions)) if actions[at] < _FIRST_CALL), len(actions))
    with expecting("a legal auction after the deal", line):
        auction = Auction(Seat.N, (action - _FIRST_CALL for action in actions[52:first_card]))
    if first_card < len(actions) and not (auction.is_over and auction.contract):
        raise FormatError(line, "cards only after an auction that ends in a contract", f"got card {words[first_card]}")
    with expecting("the cards of the play after the auction", line):
        cards = [_card(action) for action in actions[first_card:]]
        return Board(
            hands=deal.hands,
            dealer=Seat.N,
            vulnerability=Vulnerability.NONE,
            calls=tuple(map(AnnotatedCall, auction.calls)),
            play=tuple(map(PlayedCard, cards)),
            result=taken(cards, auction.contract) if auction.contract else None,
        )


def _card(action: int) -> Card:
    return Card(action % 4 * 13 + action // 4)


def _action(card: int) -> int:
    return card % 13 * 4 + card // 13


def _line(board: Board, line: int, file: str) -> str:
    if board.deal is None:
        raise FormatError(line, "four known hands", "got an unknown hand, which OpenSpiel cannot say", file)
    if board.dealer != Seat.N:
        raise FormatError(line, "dealer N", f"got {board.dealer}, which OpenSpiel cannot say", file)
    if board.vulnerability != Vulnerability.NONE:
        raise FormatError(line, "nobody vulnerable", f"got {board.vulnerability}, which OpenSpiel cannot say", file)
    if board.contract and not (board.auction and board.auction.is_over):
        raise FormatError(line, "the auction that led to the contract", "got the contract alone", file)
    actions = [_action(card) for four in zip(*board.deal, strict=True) for card in four]
    actions += [_FIRST_CALL + annotated.call for annotated in board.calls or ()]
    actions += [_action(played.card) for played in board.play]
    return " ".join(map(str, actions)) + "\n"
