"""Detectors with models, with fakes in the models' place: words in, things in the world out."""

import numpy as np
import pytest
from perception_fakes import FakeImageTextEmbedder, FakePhraseModel

from lucca_core.errors import ConfigError
from perception_node.config import PerceptionConfig
from perception_node.detectors.detector_spec import make_detector
from perception_node.detectors.vild_detector import TEMPLATES, VildDetector, crop
from perception_node.detectors.zero_shot_detector import ZeroShotDetector
from perception_node.lexicon import load_lexicon

LEXICON = load_lexicon()


def look(detector, table, vocabulary=('pear', 'apple')):
    frame, camera = table.frame(), table.pipeline().camera
    mask = np.zeros(frame.depth_m.shape, bool)
    return detector.detect(frame.rgb, frame.depth_m, camera, vocabulary, mask)


def boxes_of(table):
    """Where things are in the picture, by name, from the prototypes."""
    objects = table.look(table.pipeline()).objects
    return {
        o.name: (o.box_px[0] - 3, o.box_px[1] - 3, o.box_px[0] + o.box_px[2] + 3, o.box_px[1] + o.box_px[3] + 3)
        for o in objects
    }


def test_what_a_model_points_at_gets_its_place_size_and_colour_from_the_picture(make_table):
    table = make_table('sorting', 2)
    boxes = boxes_of(table)
    model = FakePhraseModel(('a pear', 0.8, boxes['pear']), ('an apple', 0.9, boxes['cup']))
    found = {item.label: item for item in look(ZeroShotDetector(LEXICON, PerceptionConfig(), model), table)}
    truth = table.truth()
    assert found['pear'].pose_world.position_m == pytest.approx(truth['pear'], abs=0.012)
    assert found['pear'].attributes == ('green',)
    # The label is the model's mistake; the colour is what is seen.
    assert found['apple'].pose_world.position_m == pytest.approx(truth['cup'], abs=0.012)
    assert found['apple'].attributes in (('cyan',), ('teal',))


def test_a_model_is_asked_for_the_phrases_of_the_vocabulary_and_of_all_containers(make_table):
    model = FakePhraseModel()
    look(ZeroShotDetector(LEXICON, PerceptionConfig(), model), make_table('sorting', 2), ('pear', 'umbrella'))
    [asked] = model.asked
    assert asked[:3] == ('a pear', 'a green pear', 'an umbrella')
    assert set(asked[3:]) == {phrase for item in LEXICON.containers for phrase in item.phrases}


def test_of_overlapping_boxes_of_one_label_one_is_kept_and_unlikely_ones_are_dropped(make_table):
    table = make_table('sorting', 2)
    boxes = boxes_of(table)
    left, top, right, bottom = boxes['pear']
    model = FakePhraseModel(
        ('a pear', 0.5, boxes['pear']),
        ('a green pear', 0.7, (left, top, right + 2, bottom)),
        ('a pear', 0.1, boxes['cup']),
        ('an apple', 0.9, (5, 5, 60, 40)),
    )
    found = look(ZeroShotDetector(LEXICON, PerceptionConfig(), model), table)
    assert [(item.label, item.score) for item in found] == [('pear', 0.7)]


def test_words_that_cannot_be_asked_for_are_refused():
    detector = ZeroShotDetector(LEXICON, PerceptionConfig(), FakePhraseModel())
    words = ('pear', 'umbrella', ' ', 'box 1', 'x' * 61, 'two\nlines')
    assert detector.refused(words) == (' ', 'box 1', 'x' * 61, 'two\nlines')
    assert VildDetector(LEXICON, PerceptionConfig(), FakeImageTextEmbedder()).refused(words) == detector.refused(words)


def test_regions_are_named_by_the_text_nearest_to_them(make_table):
    table = make_table('sorting', 2)
    embedder = FakeImageTextEmbedder(
        pear=(90, 130, 30), apple=(150, 20, 25), background=(100, 100, 110), table=(100, 100, 110)
    )
    found = look(VildDetector(LEXICON, PerceptionConfig(temperature=0.003), embedder), table)
    pears = [item for item in found if item.label == 'pear']
    truth = table.truth()['pear']
    assert min(float(np.linalg.norm(np.subtract(item.pose_world.position_m, truth))) for item in pears) < 0.015
    assert all(item.colour in ('green', 'yellow') for item in pears)


def test_texts_are_embedded_once_for_a_vocabulary(make_table):
    table, embedder = make_table('sorting', 2), FakeImageTextEmbedder()
    detector = VildDetector(LEXICON, PerceptionConfig(), embedder)
    look(detector, table)
    once = len(embedder.texts)
    assert once % len(TEMPLATES) == 0
    look(detector, table)
    assert len(embedder.texts) == once
    look(detector, table, ('pear',))
    assert len(embedder.texts) > once


@pytest.mark.parametrize(
    ('box', 'share', 'shape'),
    [
        ((10, 10, 30, 20), 1.0, (10, 20)),
        ((10, 10, 30, 20), 1.5, (15, 30)),
        ((0, 0, 2, 2), 1.0, (5, 5)),
        ((60, 40, 64, 48), 1.5, (10, 6)),
    ],
)
def test_crops_are_enlarged_about_their_middle_and_end_at_the_edge(box, share, shape):
    picture = np.zeros((48, 64, 3), np.uint8)
    made = crop(picture, np.array(box, np.float64), share)
    assert abs(made.shape[0] - shape[0]) <= 1
    assert abs(made.shape[1] - shape[1]) <= 1


@pytest.mark.parametrize('spec', ['', 'owlvit', 'owlvit:', 'yolo:v8', 'prototypes:x', 'vild:'])
def test_a_spec_that_is_none_is_refused_with_those_there_are(spec):
    with pytest.raises(ConfigError, match='detector must be prototypes, owlvit:MODEL'):
        make_detector(PerceptionConfig(detector=spec))
