"""Laws of the arithmetic that detectors with models share."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from perception_node.detectors.boxes import ensemble, kept_by_nms, normalised, overlaps, softmax

# Of single precision, as embeddings are: smaller ones have squares that are none.
numbers = st.floats(-50, 50, width=32, allow_nan=False)
rows = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(2, 5)), elements=numbers)
corners = arrays(np.float64, st.tuples(st.integers(1, 8), st.just(4)), elements=st.floats(0, 100))


def boxes_of(values):
    """Any four numbers as left, top, right, bottom."""
    low, high = np.minimum(values[:, :2], values[:, 2:]), np.maximum(values[:, :2], values[:, 2:])
    return np.concatenate((low, high), axis=1)


@given(rows, st.floats(0.01, 10), numbers)
def test_softmax_is_a_distribution_that_keeps_order_and_knows_no_offset(logits, temperature, offset):
    odds = softmax(logits, temperature)
    assert odds.sum(axis=1) == pytest.approx(np.ones(len(odds)))
    assert (odds >= 0).all()
    best = odds[np.arange(len(odds)), logits.argmax(axis=1)]
    assert (best >= odds.max(axis=1) - 1e-12).all()
    assert softmax(logits + offset, temperature) == pytest.approx(odds, abs=1e-6)


@given(rows)
def test_a_smaller_temperature_makes_the_best_surer(logits):
    cold, warm = (softmax(logits, temperature).max(axis=1) for temperature in (0.1, 1.0))
    assert (cold >= warm - 1e-12).all()


def test_a_temperature_of_nothing_is_refused():
    with pytest.raises(ValueError, match='temperature must be above 0, got 0'):
        softmax(np.zeros(2), 0.0)


@given(rows, st.floats(0.1, 100))
def test_an_ensemble_is_a_direction_and_no_text_counts_more_for_its_length(vectors, factor):
    stretched = vectors.copy()
    stretched[0] *= factor
    # What is left of texts that all but cancel out may fall on either side of the limit.
    left = float(np.linalg.norm(normalised(vectors).mean(axis=0)))
    assume(not 0.9e-5 < left < 1.1e-5)
    assert ensemble(stretched) == pytest.approx(ensemble(vectors), abs=1e-6)
    length = float(np.linalg.norm(ensemble(vectors)))
    assert length == pytest.approx(1.0) or length == 0.0


def test_texts_that_cancel_out_have_no_direction():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one = rng.standard_normal(512).astype(np.float32)
        other = -one * np.float32(rng.uniform(0.1, 10.0))
        # As models give them: normalised in 32 bit.
        assert not ensemble(np.stack([one / np.linalg.norm(one), other / np.linalg.norm(other)])).any()


@given(rows)
def test_an_ensemble_of_one_is_itself(vectors):
    assert ensemble(vectors[:1]) == pytest.approx(normalised(vectors[:1])[0])


@given(corners)
def test_overlap_is_of_a_share_and_of_oneself_all(values):
    boxes = boxes_of(values)
    for box in boxes:
        shares = overlaps(box, boxes)
        assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
    big = boxes[(boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]) > 1e-3]
    for box in big:
        assert overlaps(box, box[None])[0] == pytest.approx(1.0)


@given(corners, st.data())
def test_what_is_suppressed_has_a_better_one_of_its_class_over_it_and_what_is_kept_has_none(values, data):
    boxes = boxes_of(values)
    scores = data.draw(arrays(np.float64, len(boxes), elements=st.floats(0, 1)))
    classes = data.draw(arrays(np.int64, len(boxes), elements=st.integers(0, 2)))
    kept = kept_by_nms(boxes, scores, classes, 0.5)
    assert list(scores[kept]) == sorted(scores[kept], reverse=True)
    for row in range(len(boxes)):
        better = [other for other in kept if classes[other] == classes[row] and scores[other] >= scores[row]]
        covered = any(overlaps(boxes[row], boxes[[other]])[0] > 0.5 for other in better if other != row)
        assert covered or row in kept
    for first in kept:
        for second in kept:
            if first != second and classes[first] == classes[second]:
                assert overlaps(boxes[first], boxes[[second]])[0] <= 0.5


def test_two_classes_in_one_place_are_both_kept():
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 10.0]])
    assert kept_by_nms(boxes, np.array([0.4, 0.9]), np.array([0, 1]), 0.5) == [1, 0]
