"""Figures of scores of pairs, by hand."""

import math

import numpy as np
import pytest

from lucca_lab.training.pair_figures import auc, figures, log_loss


def test_groups_are_ranked_and_pairs_are_decided():
    scores = np.array([2.0, 1.0, -1.0, 0.0, 3.0, 1.0, 5.0])
    right_is = np.array([1, 0, 0, 1, 0, 1, 0])
    told = figures(scores, right_is, np.array([0, 3, 6, 7]))
    assert (told['groups'], told['ranked'], told['pairs']) == (3, 2, 7)
    # In the second group the first that is comes after 3.0.
    assert told['best'] == 0.5
    assert told['mrr'] == 0.75
    assert 'recall10' not in told
    assert told['auc'] == pytest.approx((2 / 4 + 1 / 4 + 1.5 / 4) / 3, abs=1e-4)
    assert told['accuracy'] == pytest.approx(3 / 7, abs=1e-4)


def test_recall_is_of_groups_of_many():
    scores = -np.arange(12.0)
    right_is = np.zeros(12)
    right_is[[3, 11]] = 1
    told = figures(scores, right_is, np.array([0, 12]))
    assert (told['many'], told['recall10'], told['mrr']) == (1, 0.5, 0.25)


def test_equal_scores_are_no_success():
    told = figures(np.zeros(4), np.array([1, 0, 0, 0]), np.array([0, 4]))
    assert (told['best'], told['mrr'], told['auc']) == (0.0, 0.25, 0.5)
    assert told['log_loss'] == round(math.log(2), 4)


def test_of_one_kind_alone_there_is_no_order():
    assert auc(np.ones(3), np.ones(3)) is None
    assert log_loss(np.array([1000.0, -1000.0]), np.array([1.0, 0.0])) == 0.0
