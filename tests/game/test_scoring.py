"""Scores from the laws' own table, IMPs, victory points, par."""

from itertools import pairwise

import pytest

from cuebid import Contract, Deal, Seat, Vulnerability, imps
from cuebid.game import par, victory_points


@pytest.mark.parametrize(
    ("contract", "tricks", "vulnerable", "points"),
    [
        ("1CN", 7, False, 70), ("1NN", 7, False, 90), ("2HN", 9, False, 140), ("3NN", 9, False, 400),
        ("3NN", 9, True, 600), ("4SN", 10, True, 620), ("5CN", 11, False, 400), ("6DN", 12, True, 1370),
        ("6NN", 12, False, 990), ("7SN", 13, True, 2210), ("7NN", 13, False, 1520),
        ("2SXN", 8, False, 470), ("2SXN", 9, True, 870), ("1NXXN", 7, False, 560), ("1NXXN", 9, True, 1560),
        ("7NXXN", 13, True, 2980), ("2CXN", 8, False, 180), ("2CXXN", 8, False, 560),
        ("4HN", 9, False, -50), ("4HN", 7, True, -300), ("4HXN", 9, False, -100), ("4HXN", 7, False, -500),
        ("4HXN", 6, False, -800), ("4HXN", 9, True, -200), ("4HXN", 7, True, -800), ("4HXXN", 8, True, -1000),
        ("7NXXN", 0, True, -7600), ("7NXN", 0, False, -3500), ("1CN", 0, False, -350),
    ],
)  # fmt: skip
def test_the_laws_examples(contract, tricks, vulnerable, points):
    assert Contract.parse(contract).score(tricks, vulnerable) == points


def test_imps_scale():
    bounds = {0: 0, 10: 0, 20: 1, 40: 1, 50: 2, 420: 9, 430: 10, 490: 10, 500: 11, 3990: 23, 4000: 24, 9999: 24}
    for points, worth in bounds.items():
        assert imps(points) == worth
        assert imps(-points) == -worth


def test_victory_points_of_the_wbf_scale():
    """Values from the WBF's published 20-board and 16-board tables."""
    assert victory_points(0, 20) == (10.0, 10.0)
    assert victory_points(60, 16) == (20.0, 0.0)
    assert victory_points(1000, 8) == (20.0, 0.0)
    assert victory_points(10, 16) == (12.80, 7.20)
    shares = [victory_points(margin, 20)[0] for margin in range(70)]
    assert shares == sorted(shares)
    steps = [later - sooner for sooner, later in pairwise(shares)]
    assert all(later <= sooner + 0.011 for sooner, later in pairwise(steps))


def test_par_by_hand():
    """North-South have 4♠, East-West save in 5♥ doubled when that is cheap enough."""
    ns_spades_ten = [[7, 7, 2, 10, 7], [6, 6, 10, 3, 6], [7, 7, 2, 10, 7], [6, 6, 10, 3, 6]]
    result = par(ns_spades_ten, Seat.N, Vulnerability.NONE)
    assert result.score == 100
    assert {str(contract) for contract, _ in result.contracts} == {"5HXE", "5HXW"}
    result = par(ns_spades_ten, Seat.N, Vulnerability.EW)
    assert result.score == 200
    ns_only = [[7, 7, 2, 10, 7], [6, 6, 7, 3, 6], [7, 7, 2, 10, 7], [6, 6, 7, 3, 6]]
    result = par(ns_only, Seat.N, Vulnerability.NONE)
    assert result.score == 420
    assert {str(contract) for contract, _ in result.contracts} == {"4SN", "4SS"}


def test_par_goes_to_who_bids_first_when_both_can_make_it():
    one_notrump_for_all = [[6, 6, 6, 6, 7]] * 4
    assert par(one_notrump_for_all, Seat.N, Vulnerability.NONE).score == 90
    assert par(one_notrump_for_all, Seat.E, Vulnerability.NONE).score == -90
    nobody_makes_anything = [[6] * 5] * 4
    assert par(nobody_makes_anything, Seat.N, Vulnerability.NONE) == par([[5] * 5] * 4, Seat.E, Vulnerability.BOTH)


def test_random_deals_are_even():
    """Each card goes to each seat about equally often."""
    counts = [[0] * 4 for _ in range(52)]
    for seed in range(4_000):
        for card, seat in enumerate(Deal.random(seed).owner):
            counts[card][seat] += 1
    assert all(abs(count - 1_000) < 5 * 27.4 for row in counts for count in row)
