"""Files as they are found: what each says, and what is said of those that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuebid import BridgeError, Call, Card, Contract, Deal, Hand, Seat, Vulnerability, formats
from cuebid.formats import PASSED_OUT, AnnotatedCall, FormatError, PlayedCard, lin, openspiel, pbn

SAMPLES = Path(__file__).parent / "samples"
OPENSPIEL = Path(__file__).parents[3] / "shared" / "data" / "openspiel-sample"
DEAL = "N:Q84.AQ94..A97632 A752.JT5.9643.KQ KT963.3.QT7.JT85 J.K8762.AKJ852.4"


def test_pbn_sample() -> None:
    first, second, third = formats.read(SAMPLES / "match.pbn")
    assert first.deal == Deal(DEAL)
    assert first.names == ("Nora", "Eva", "Sam", "Wim")
    assert (first.dealer, first.vulnerability, first.contract) == (Seat.N, Vulnerability.NONE, Contract.parse("3SS"))
    assert first.result is None
    assert first.calls is not None
    assert first.calls[0] == AnnotatedCall(Call("1C"), alerted=True, explanation="could be short")
    assert first.calls[1] == AnnotatedCall(Call("1D"), marks=("!",))
    assert first.calls[3] == AnnotatedCall(Call("3D"), True, "preemptive, \\ or so", comment="weak")
    assert first.calls[4] == AnnotatedCall(Call("X"), alerted=False, explanation="takeout")
    assert first.auction is not None
    assert str(first.auction) == "1C 1D 1S 3D X P 3S P P P"
    assert first.tricks is not None
    assert first.tricks[Seat.E] == (2, 10, 4, 3, 6)
    assert first.sections[0].rows == ("DA - D3 D7", "CQ CA C4 C5", "*")
    assert first.tag("Site") == 'Café "De Ruiten"'
    assert first.comments == (
        "%Creator: a scorer's tool",
        " Saturday's match, by hand",
        "North has a void; no two\nexperts agree here.",
        " they came late",
    )
    assert (second.tag("Event"), second.names[0], second.tag("Site")) == ("Club match", "Nora", 'Café "De Ruiten"')
    assert second.hands == (None, None, Hand("875.T93.763.Q532"), None)
    assert (second.contract, second.result, second.in_progress) == (Contract.parse("3NTW"), 7, True)
    assert [played.card for played in second.play] == [Card("SA"), Card("S2"), Card("S5"), Card("S4")]
    assert second.comments == ("A stray line of the kind tools leave behind",)
    assert second.sections[0].rows[0] == '  1 3NTW  "A [b] - c; d"'
    assert (third.contract, third.tag("Event")) == (PASSED_OUT, "Another")
    assert third.tricks is not None
    assert third.tricks[Seat.N] == (5, 10, 7, 7, 7)


def test_lin_sample() -> None:
    first, second = formats.read(SAMPLES / "hands.lin")
    assert first.deal == Deal(DEAL)
    assert (first.number, first.dealer, first.names) == ("1", Seat.N, ("nora", "eva", "sam", "wim"))
    assert first.calls is not None
    assert first.calls[0] == AnnotatedCall(Call("1C"), alerted=True, explanation="could be short")
    assert first.calls[3] == AnnotatedCall(Call("3D"), alerted=True)
    assert first.calls[4] == AnnotatedCall(Call("X"), explanation="takeout")
    assert (first.contract, first.result) == (Contract.parse("3SS"), 9)
    assert first.play == (PlayedCard(Card("DA")), PlayedCard(Card("DQ")))
    assert second.hands == (None, None, Hand("875.T93.763.Q532"), None)
    assert (second.dealer, second.contract) == (Seat.E, PASSED_OUT)


def test_vugraph_sample() -> None:
    opened, closed = formats.read(SAMPLES / "vugraph.lin")
    assert (opened.number, opened.tag("Room"), opened.names) == ("9", "Open", ("n1", "e1", "s1", "w1"))
    assert (closed.number, closed.tag("Room"), closed.names) == ("9", "Closed", ("n2", "e2", "s2", "w2"))
    assert opened.comments == ("Welcome to the match,\neverybody.",)
    assert opened.calls is not None
    assert opened.calls[0] == AnnotatedCall(Call("1H"), explanation="light", comment="Brave.")
    assert (opened.contract, opened.result, len(opened.play)) == (Contract.parse("3NTN"), 9, 4)
    assert (closed.contract, closed.result) == (Contract.parse("2HW"), 7)


def test_openspiel_sample() -> None:
    first, second, third = formats.read(SAMPLES / "made_up.txt")
    assert (first.contract, first.result, len(first.play)) == (Contract.parse("3NTN"), 5, 52)
    assert second.contract == PASSED_OUT
    assert third.auction is not None
    assert (str(third.auction), third.contract) == ("1S X XX P", None)


@pytest.mark.parametrize("name", ["match.pbn", "hands.lin", "vugraph.lin", "made_up.txt"])
def test_samples_come_back(tmp_path: Path, name: str) -> None:
    boards = formats.read(SAMPLES / name).boards
    formats.write(tmp_path / name, boards)
    assert formats.read(tmp_path / name).boards == boards


@pytest.mark.parametrize("name", ["train.txt", "test.txt"])
def test_openspiel_publishes(name: str) -> None:
    path = OPENSPIEL / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    reading = formats.read(path)
    assert len(reading) == 20
    assert openspiel.parse(openspiel.render(reading)).boards == reading.boards
    for board, line in zip(reading, path.read_text().splitlines(), strict=True):
        assert openspiel.render([board]).split()[52:] == line.split()[52:]
        assert pbn.parse(pbn.render([board])).boards == lin.parse(lin.render([board])).boards == (board,)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings(tmp_path: Path, encoding: str, line_end: str) -> None:
    path = tmp_path / "board.PBN"
    path.write_bytes(f'[Board "1"]\n[North "André"]\n[Deal "{DEAL}"]\n'.replace("\n", line_end).encode(encoding))
    (board,) = formats.read(path)
    assert (board.names[0], board.deal) == ("André", Deal(DEAL))


@pytest.mark.parametrize(
    "tags",
    [
        '[Contract ""]\n[Declarer ""]\n[Result ""]',
        '[Contract "?"]\n[Declarer "?"]\n[Result "?"]',
        '[Contract "4S"]\n[Declarer "?"]\n[Result "?"]',
        '[Declarer "?"]\n[Vulnerable "?"]\n[Dealer "?"]\n[Deal "?"]\n[Auction "?"]',
    ],
)
def test_unknown_contract(tags: str) -> None:
    (board,) = pbn.parse(f'[Board "1"]\n{tags}\n')
    assert (board.contract, board.result, board.dealer) == (None, None, None)
    assert pbn.parse(pbn.render([board])).boards == (board,)


def test_irregular_auction_is_kept_as_it_stands() -> None:
    text = '[Board "1"]\n[Dealer "N"]\n[Auction "N"]\n1H 1C ^I Pass =1=\n2C {oh} - Pass\n*\n[Note "1:asleep"]\n'
    (board,) = pbn.parse(text)
    assert board.calls is None
    assert board.sections[0].rows == ("1H 1C ^I Pass =1=", "2C - Pass", "*")
    assert board.comments == ("oh",)
    assert board.tags == (("Note", "1:asleep"),)
    assert pbn.parse(pbn.render([board])).boards == (board,)


@pytest.mark.parametrize(
    ("result", "tricks"), [("9", 9), ("NS 9", 9), ("EW 4", 9), ("NS 9 EW 4", 9), ("^9", 9), ("^EW 4", 9)]
)
def test_results(result: str, tricks: int) -> None:
    (board,) = pbn.parse(f'[Declarer "S"]\n[Contract "4HX"]\n[Result "{result}"]\n')
    assert (board.contract, board.result) == (Contract.parse("4HXS"), tricks)
    assert ('[Result "^9"]' in pbn.render([board])) == result.startswith("^")


@pytest.mark.parametrize("word", ["None", "Love", "-", "NS", "EW", "All", "Both"])
def test_vulnerability_words(word: str) -> None:
    (board,) = pbn.parse(f'[Vulnerable "{word}"]')
    assert board.vulnerability == Vulnerability(word)


def test_awaited_call_and_left_out_call() -> None:
    awaited, left_out = pbn.parse('[Auction "N"]\n1C Pass +\n\n[Auction "N"]\n1C Pass *\n')
    assert (awaited.in_progress, left_out.in_progress) == (True, False)
    assert awaited.calls == left_out.calls
    assert "1C Pass +" in pbn.render([awaited])


def test_boards_without_a_blank_line_between() -> None:
    boards = pbn.parse('[Event "a"]\n[Board "1"]\n[Event "b"]\n[Board "2"]\n[Board "3"]\n')
    assert [(board.number, board.tag("Event")) for board in boards] == [("1", "a"), ("2", "b"), ("3", None)]


def test_comments_after_the_last_board() -> None:
    (board,) = pbn.parse('[Board "1"]\n\n; the end\n; indeed\n')
    assert board.comments == (" the end\n indeed",)


GOOD_PBN = f'[Board "1"]\n[Dealer "N"]\n[Deal "{DEAL}"]\n\n'
MALFORMED_PBN = {
    '[Board "2"]\n[Dealer X]': ("x.pbn:6: expected a tag such as [Board \"1\"], got '[Dealer X]'"),
    '[Board "2"]\n[Dealer "X"]': "x.pbn:6: expected a seat N, E, S or W, but no such seat: 'X' (expected N, E, S or W)",
    '[Deal "N:AKQ - -"]': "x.pbn:5: expected a seat, a colon and four hands, such as N:AKQ2.JT9.876.543 - - -, "
    "got 'N:AKQ - -'",
    '[Deal "N:AK.AQ94..A97632 - - -"]': "x.pbn:5: expected a deal, but a hand has 13 cards; this one has 12",
    '[Deal "N:J84.AQ94..A97632 - - J.K8762.AKJ852.4"]': "x.pbn:5: expected a deal, but SJ is held by W and by another",
    '[Vulnerable "Us"]': "x.pbn:5: expected None, NS, EW or All, but no such vulnerability: 'Us' "
    "(expected none, ns, ew or both)",
    '[Auction "N"]\n1H Pass\n1C': "x.pbn:7: expected a legal call, but S cannot call 1C after 1H P: it is not above 1H",
    '[Auction "N"]\n1H Paß': "x.pbn:6: expected a word of the section [Auction], got 'Paß'",
    '[Auction "N"]\n1H Dble': "x.pbn:6: expected a legal call, but got 'Dble', none of Pass, X, XX, AP, 1C ",
    '[Auction "N"]\n1H * Pass': "x.pbn:6: expected nothing after *, got 'Pass'",
    '[Dealer "N"]\n[Auction "E"]\nAP': "x.pbn:6: expected the dealer N to open the auction, got 'E'",
    '[Declarer "N"]\n[Contract "8H"]': "x.pbn:6: expected a contract such as 4H, 3NTX or Pass, got '8H'",
    '[Declarer "N"]\n[Contract "4H"]\n[Result "14"]': "x.pbn:7: expected 0 to 13 tricks, got '14'",
    '[Declarer "E"]\n[Contract "1H"]\n[Auction "N"]\n1H AP': "x.pbn:6: expected the contract of the auction, 1HN, "
    "got '1HE'",
    '[Declarer "N"]\n[Contract "1H"]\n[Play "E"]\nS1 - - -': "x.pbn:8: expected a card such as SA, or - * +, got 'S1'",
    '[DoubleDummyTricks "123"]': "x.pbn:5: expected 20 hexadecimal digits 0 to d, got '123'",
    '[Board "2"]\n{never closed': "x.pbn:6: expected } to end the comment, got the end of the file",
    'Dealer "N"]': 'x.pbn:5: expected a tag such as [Board "1"] or a comment, got \'Dealer "N"]\'',
}
GOOD_LIN = "md|3,,SKT963H3DQT7CJT85|sv|o|mb|p|mc|9|pg||\n"
MALFORMED_LIN = {
    "md|3|sv|q|": "x.lin:2: expected vulnerability o, n, e or b, got 'q'",
    "md|3|\nmb|8c|": "x.lin:3: expected a call p, d, r, 1c … 7n, with ! for an alert, got '8c'",
    "md|3|mb|1c|mb|1c|": "x.lin:2: expected a legal auction, but E cannot call 1C after 1C: it is not above 1C",
    "md|3SAK|": "x.lin:2: expected a hand of 13 cards, but a hand has 13 cards; this one has 2",
    "md|3SAB|": "x.lin:2: expected a hand such as SAK2HQJT9D876C543, got 'SAB'",
    "md||mb|p|": "x.lin:2: expected md with the dealer before the calls, got 'p'",
    "md|3|sv|o": "x.lin:2: expected a two-letter tag and its value, such as sv|o|, got the end of the file",
    "hello there": "x.lin:2: expected a two-letter tag and its value, such as sv|o|, got 'hello there'",
    "md|3|mc|14|": "x.lin:2: expected 0 to 13 tricks, got '14'",
    "md|3|pc|S1|": "x.lin:2: expected a card such as SA, got 'S1'",
}
GOOD_TXT = (SAMPLES / "made_up.txt").read_text().splitlines()[1] + "\n"
MALFORMED_TXT = {
    "1 2 x": "x.txt:2: expected action numbers 0 to 89 apart by spaces, got 'x'",
    "1 2 3": "x.txt:2: expected 52 cards to be dealt, got 3",
    "0 0" + GOOD_TXT[4:].rstrip(): "x.txt:2: expected 52 different cards dealt, but ",
    GOOD_TXT.rstrip() + " 52": "x.txt:2: expected a legal auction after the deal, but the auction is over",
    GOOD_TXT.rstrip() + " 5": "x.txt:2: expected cards only after an auction that ends in a contract, got card 5",
}
MALFORMED = [
    *((".pbn", GOOD_PBN, bad, message) for bad, message in MALFORMED_PBN.items()),
    *((".lin", GOOD_LIN, bad, message) for bad, message in MALFORMED_LIN.items()),
    *((".txt", GOOD_TXT, bad, message) for bad, message in MALFORMED_TXT.items()),
]


@pytest.mark.parametrize(("suffix", "good", "bad", "message"), MALFORMED)
def test_malformed(suffix: str, good: str, bad: str, message: str) -> None:
    parse = {".pbn": pbn.parse, ".lin": lin.parse, ".txt": openspiel.parse}[suffix]
    with pytest.raises(FormatError) as caught:
        parse(good + bad, file="x" + suffix)
    assert str(caught.value).startswith(message)
    assert len(caught.value.boards) == 1
    reading = parse(f"{good}{bad}\n\n{good}", strict=False)
    assert len(reading) == 2
    assert len(reading.skipped) == 1
    assert isinstance(reading.skipped[0], BridgeError)


def test_unknown_suffix() -> None:
    with pytest.raises(BridgeError, match=r"x\.doc: expected a file that ends in \.pbn, \.lin or \.txt"):
        formats.read("x.doc")


def test_endplay_reads_the_same() -> None:
    from endplay.parsers import pbn as theirs

    text = pbn.render(
        [
            formats.Board(
                number=str(seed + 1),
                hands=Deal.random(seed).hands,
                dealer=Seat(seed % 4),
                vulnerability=Vulnerability(seed // 4 % 4),
                calls=tuple(AnnotatedCall(Call(call)) for call in ("1NT", "P", "4S", "X", "P", "P", "P")),
            )
            for seed in range(16)
        ]
    )
    for ours, other in zip(pbn.parse(text), theirs.loads(text), strict=True):
        assert ours.deal == Deal(str(other.deal).replace("10", "T"))
        assert other.dealer.name[0].upper() == str(ours.dealer)
        assert other.vul.name == str(ours.vulnerability)
        assert isinstance(ours.contract, Contract)
        assert other.contract.level == ours.contract.level
        assert other.contract.declarer.name[0].upper() == str(ours.contract.declarer)
        assert other.contract.denom.name[0].upper() == ours.contract.strain.name
        assert len(other.auction) == 7
