"""Deals drawn card by card come as often as their chances say, which small decks can enumerate."""

from itertools import product

import numpy as np
import pytest

from cuebid.search.sampling import Sampler

PLACES = (2, 3, 1)


def enumerated(odds, places):
    """Every deal of a small deck and its chance: the product of its cards' odds, among deals with these counts."""
    deals = [deal for deal in product(range(3), repeat=len(odds)) if tuple(np.bincount(deal, minlength=3)) == places]
    weights = np.array([np.prod([odds[card][hand] for card, hand in enumerate(deal)]) for deal in deals])
    return deals, weights / weights.sum()


@pytest.mark.parametrize("places", [(2, 3, 1), (0, 3, 3), (6, 0, 0), (1, 1, 4)])
def test_every_deal_comes_with_its_chance(places):
    odds = np.random.default_rng(1).random((6, 3)) + 0.02
    deals, chances = enumerated(odds, places)
    sampler = Sampler(odds, places)
    holder, log_chance = sampler.draw(100_000, np.random.default_rng(2))
    number = {deal: place for place, deal in enumerate(deals)}
    rows = np.array([number[deal] for deal in map(tuple, holder.tolist())])
    assert np.exp(log_chance) == pytest.approx(chances[rows])
    found = np.bincount(rows, minlength=len(deals)) / len(rows)
    error = np.sqrt(chances * (1 - chances) / len(rows))
    assert (np.abs(found - chances) <= 5 * error + 1e-12).all()


def test_marginal_chances_are_those_of_the_enumerated_deals():
    odds = np.random.default_rng(3).random((6, 3)) + 0.02
    deals, chances = enumerated(odds, PLACES)
    expected = np.zeros((6, 3))
    for deal, chance in zip(deals, chances, strict=True):
        expected[np.arange(6), deal] += chance
    assert Sampler(odds, PLACES).marginal() == pytest.approx(expected)


def test_fitted_deals_have_each_card_as_often_as_was_believed():
    """Conditioning on the counts moves the chances of single cards away from the belief; fitting brings them back."""
    odds = np.random.default_rng(4).random((39, 3)) ** 3 + 0.01
    believed = Sampler(odds, (13, 13, 13)).marginal()
    assert np.abs(Sampler(believed, (13, 13, 13)).marginal() - believed).max() > 0.01
    fitted = Sampler.fitted(believed, (13, 13, 13))
    assert np.abs(fitted.marginal() - believed).max() < 1e-3
    holder, _ = fitted.draw(20_000, np.random.default_rng(5))
    assert ((holder[:, :, None] == np.arange(3)).sum(axis=1) == 13).all()
    found = (holder[:, :, None] == np.arange(3)).mean(axis=0)
    assert np.abs(found - believed).max() < 0.02


def test_a_belief_that_cannot_be_true_is_dealt_from_all_the_same():
    """Everything with one hand: it still gets 13 cards, as do the others."""
    believed = np.full((39, 3), 1e-3)
    believed[:, 1] = 1 - 2e-3
    holder, log_chance = Sampler.fitted(believed, (13, 13, 13)).draw(50, np.random.default_rng(6))
    assert ((holder[:, :, None] == np.arange(3)).sum(axis=1) == 13).all()
    assert np.isfinite(log_chance).all()


def test_the_same_seed_draws_the_same_deals():
    sampler = Sampler(np.ones((39, 3)), (13, 13, 13))
    first, second = (sampler.draw(20, np.random.default_rng(7))[0] for _ in range(2))
    assert (first == second).all()
    assert (first != sampler.draw(20, np.random.default_rng(8))[0]).any()
