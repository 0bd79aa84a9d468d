"""Boards as LIN."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cuebid.formats.board import PASSED_OUT, Board
from cuebid.formats.lin_syntax import TITLE, write_field, write_items
from cuebid.game import DOUBLE, PASS, REDOUBLE, Hand, Seat

_SEATS = (Seat.S, Seat.W, Seat.N, Seat.E)
_WORDS = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}
_ROOM = re.compile(r"[oc][0-9]{1,4}")
_FROM_FIELDS = {"qx", "pn", "md", "sv", "mb", "nt", "pc", "mc"}


def render(boards: Iterable[Board]) -> str:
    """Write boards, each on a line of its own but for its comments."""
    return "".join(_render_board(board, number == 1) for number, board in enumerate(boards, 1))


def _render_board(board: Board, is_first: bool) -> str:
    tags = [
        tag
        for tag in board.tags
        if len(tag[0]) == 2 and tag[0].isascii() and tag[0].isalnum() and tag[0] == tag[0].lower()
    ]
    title = [tag for tag in tags if is_first and tag[0] in TITLE]
    auction = board.auction
    is_played = auction is not None and auction.is_over and board.contract != PASSED_OUT
    fields = [write_field(*tag) for tag in title] + _identity(board)
    fields += [write_field(*tag) for tag in tags if tag not in title and tag[0] not in _FROM_FIELDS]
    fields += [write_field("nt", comment) for comment in board.comments]
    fields += [write_field("mb")] if board.calls == () else []
    for call in board.calls or ():
        fields.append(write_field("mb", _WORDS.get(call.call, str(call.call)[:2]) + "!" * call.alerted))
        fields += [write_field("an", call.explanation)] if call.explanation else []
        fields += [write_field("nt", call.comment)] if call.comment else []
    if is_played:
        for card in board.play:
            fields.append(write_field("pc", str(card.card)))
            fields += [write_field("nt", card.comment)] if card.comment else []
        fields += [write_field("mc", str(board.result))] if board.result is not None else []
    fields += [write_field(*tag) for tag in tags if tag[0] in ("pc", "mc") and not is_played]
    return "".join([*fields, write_field("pg")]) + "\n"


def _identity(board: Board) -> list[str]:
    """Where the board was played, by whom, and the deal."""
    fields = []
    room = {"Open": "o", "Closed": "c"}.get(board.tag("Room") or "")
    if room and board.number and _ROOM.fullmatch(room + board.number):
        fields.append(write_field("qx", room + board.number))
    elif board.tag("qx"):
        fields.append(write_field("qx", board.tag("qx") or ""))
    if any(board.names):
        fields.append(write_items("pn", (board.names[seat] or "" for seat in _SEATS)))
    dealer = "" if board.dealer is None else str(_SEATS.index(board.dealer) + 1)
    hands = [board.hands[seat] for seat in _SEATS]
    deal = ",".join("" if hand is None else _deal_hand(hand) for hand in hands) if any(hands) else ""
    fields += [write_field("st"), write_field("md", dealer + deal)]
    if board.vulnerability is not None:
        fields.append(write_field("sv", "oneb"[board.vulnerability]))
    fields.append(write_field("rh"))
    if board.number:
        fields.append(write_field("ah", f"Board {board.number}"))
    return fields


def _deal_hand(hand: Hand) -> str:
    return "".join(suit + ranks for suit, ranks in zip("SHDC", str(hand).split("."), strict=True))
