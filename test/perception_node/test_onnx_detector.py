"""Detectors in ONNX files: what is wrong with a file is said, and what they see gets a place in the world."""

import sys

import numpy as np
import pytest
from tiny_onnx import save_onnx

from lucca_core.errors import ConfigError, PerceptionError
from perception_node.config import PerceptionConfig
from perception_node.detectors.detector_spec import check_spec, make_detector
from perception_node.detectors.onnx_detector import OnnxDetector, label_of
from perception_node.detectors.onnx_layouts import ClassBoxes
from perception_node.lexicon import load_lexicon

LEXICON = load_lexicon()
NAMES = "{0: 'pear', 1: 'mug', 2: 'bowl'}"


class FakeModel:
    """Gives the same boxes for every picture: (class, score, box)."""

    def __init__(self, names, *answers):
        self.names = names
        self._answers = answers

    def find(self, rgb, least_score):
        """See OnnxModel."""
        rows = [item for item in self._answers if item[1] >= least_score]
        return ClassBoxes(
            np.array([box for _, _, box in rows], np.float64).reshape(-1, 4),
            np.array([number for number, _, _ in rows], np.intp),
            np.array([score for _, score, _ in rows], np.float64),
        )


def look(detector, table, vocabulary):
    frame, camera = table.frame(), table.pipeline().camera
    return detector.detect(frame.rgb, frame.depth_m, camera, vocabulary, np.zeros(frame.depth_m.shape, bool))


def boxes_of(table):
    """Where things and containers are in the picture, by name, from the prototypes."""
    seen = table.look(table.pipeline())
    return {
        item.name: (x - 3, y - 3, x + width + 3, y + height + 3)
        for item in seen.objects
        for x, y, width, height in [item.box_px]
    }


def test_classes_are_called_as_the_lexicon_calls_them():
    assert [label_of(name, LEXICON) for name in ('pear', 'mug', 'toy block', 'umbrella')] == [
        'pear',
        'cup',
        'cube',
        'umbrella',
    ]


def test_only_its_classes_can_be_looked_for():
    detector = OnnxDetector(LEXICON, PerceptionConfig(), FakeModel(('pear', 'mug', 'box 1')))
    assert detector.labels == ('pear', 'cup')
    assert detector.refused(('cup', 'mug', 'apple', 'box 1')) == ('mug', 'apple', 'box 1')


def test_classes_without_a_name_are_never_reported():
    model = FakeModel(('-', 'pear', '-'), (0, 0.9, (0, 0, 9, 9)), (1, 0.8, (20, 0, 29, 9)), (2, 0.9, (40, 0, 49, 9)))
    detector = OnnxDetector(LEXICON, PerceptionConfig(), model)
    assert detector.labels == ('pear',)
    assert detector.refused(('-', 'pear')) == ('-',)
    assert [item.label for item in detector.boxes_in(np.zeros((48, 64, 3), np.uint8), ('-', 'pear'))] == ['pear']


def test_things_get_place_and_colour_from_the_picture_and_containers_are_found_by_colour(make_table):
    table = make_table('sorting', 2)
    boxes = boxes_of(table)
    model = FakeModel(('pear', 'mug'), (0, 0.8, boxes['pear']), (0, 0.6, boxes['pear']), (1, 0.9, boxes['cup']))
    found = look(OnnxDetector(LEXICON, PerceptionConfig(), model), table, ('pear',))
    truth = table.truth()
    [pear] = [item for item in found if not item.is_container]
    assert (pear.label, pear.score, pear.attributes) == ('pear', 0.8, ('green',))
    assert pear.pose_world.position_m == pytest.approx(truth['pear'], abs=0.012)
    assert {item.label for item in found if item.is_container} == {'box 1', 'box 2'}


def test_a_container_is_not_reported_once_more_as_a_thing(make_table):
    table = make_table('sorting', 2)
    empty = OnnxDetector(LEXICON, PerceptionConfig(), FakeModel(('bowl',)))
    [box] = [item.box_px for item in look(empty, table, ('bowl',)) if item.label == 'box 1']
    corners = (box[0], box[1], box[0] + box[2], box[1] + box[3])
    found = look(OnnxDetector(LEXICON, PerceptionConfig(), FakeModel(('bowl',), (0, 0.9, corners))), table, ('bowl',))
    assert {item.label for item in found} == {'box 1', 'box 2'}


def test_a_model_may_know_containers_itself(make_table):
    table = make_table('sorting', 2)
    empty = OnnxDetector(LEXICON, PerceptionConfig(), FakeModel(('box 1',)))
    [box] = [item.box_px for item in look(empty, table, ()) if item.label == 'box 1']
    corners = (box[0] - 2, box[1] - 2, box[0] + box[2] + 2, box[1] + box[3] + 2)
    found = look(OnnxDetector(LEXICON, PerceptionConfig(), FakeModel(('box 1',), (0, 1.0, corners))), table, ())
    [seen] = [item for item in found if item.label == 'box 1']
    assert (seen.is_container, seen.score) == (True, 1.0)


def test_the_spec_is_checked():
    check_spec('onnx:table.onnx')
    with pytest.raises(ConfigError, match='onnx:FILE'):
        check_spec('onnx:')


def make(file):
    return make_detector(PerceptionConfig(detector=f'onnx:{file}', device='cpu'))


def test_a_missing_file_and_a_missing_package_are_told(tmp_path, monkeypatch):
    with pytest.raises(PerceptionError, match=r'none\.onnx is not a file'):
        make(tmp_path / 'none.onnx')
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)
    with pytest.raises(PerceptionError, match='needs: pip install onnxruntime'):
        make(save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)}, names=NAMES))


class TestFiles:
    """With onnxruntime."""

    @pytest.fixture(autouse=True)
    def package(self):
        pytest.importorskip('onnxruntime')

    def test_what_a_file_sees_is_found_on_the_table(self, make_table, tmp_path):
        table = make_table('sorting', 2)
        left, top, right, bottom = boxes_of(table)['pear']
        rows = np.zeros((1, 7, 84), np.float32)
        # 640 x 480 pixels become 64 x 48, with 8 above and below.
        rows[0, :, 5] = (
            (left + right) / 20,
            (top + bottom) / 20 + 8,
            (right - left) / 10,
            (bottom - top) / 10,
            0.9,
            0,
            0,
        )
        detector = make(save_onnx(tmp_path / 'model.onnx', {'output0': rows}, names=NAMES))
        assert detector.labels == ('pear', 'cup', 'bowl')
        [pear] = [item for item in look(detector, table, detector.labels) if not item.is_container]
        assert pear.label == 'pear'
        assert pear.pose_world.position_m == pytest.approx(table.truth()['pear'], abs=0.012)

    def test_a_model_with_the_size_of_the_picture_as_second_input(self, tmp_path):
        answers = {
            'labels': np.array([[1]]),
            'boxes': np.array([[(1, 2, 30, 40)]], np.float32),
            'scores': np.array([[0.7]], np.float32),
        }
        detector = make(save_onnx(tmp_path / 'model.onnx', answers, names=NAMES, sized=True))
        [box] = detector.boxes_in(np.zeros((48, 64, 3), np.uint8), ('cup',))
        assert (box.label, box.score) == ('cup', pytest.approx(0.7))
        assert box.box == pytest.approx((1, 2, 30, 40))

    @pytest.mark.parametrize('form', [{'sized': True}, {'batch': 4}])
    def test_other_inputs_than_those_of_the_layout_are_told(self, tmp_path, form):
        file = save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)}, names=NAMES, **form)
        with pytest.raises(PerceptionError, match='fit no known layout'):
            make(file)

    def test_names_beside_the_file_come_first(self, tmp_path):
        file = save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)}, names=NAMES)
        (tmp_path / 'model.names').write_text('apple\npear \ncan\n\n')
        assert make(file).labels == ('apple', 'pear', 'can')

    @pytest.mark.parametrize(
        ('text', 'reason'),
        [
            (b'', 'must be a list of words'),
            (b'apple\n\npear\n', 'must be a list of words'),
            (b'apple\xff\n', r'model\.names cannot be read'),
            (b'apple\npear\n', r'for 2 classes, .* output0 \[1, 7, 84\] fit no known layout'),
        ],
    )
    def test_names_that_are_wrong_are_told(self, tmp_path, text, reason):
        file = save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)})
        (tmp_path / 'model.names').write_bytes(text)
        with pytest.raises(PerceptionError, match=reason):
            make(file)

    def test_a_file_without_names_is_told(self, tmp_path):
        with pytest.raises(PerceptionError, match=r'write them into model\.names beside it'):
            make(save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)}))

    @pytest.mark.parametrize('names', ['pear, mug', '{0: pear', "__import__('os')", "{0: 'pear', 2: 'mug'}", '[3]'])
    def test_metadata_is_read_and_not_run(self, tmp_path, names):
        with pytest.raises(PerceptionError, match='names'):
            make(save_onnx(tmp_path / 'model.onnx', {'output0': np.zeros((1, 7, 84), np.float32)}, names=names))

    @pytest.mark.parametrize('content', [b'', b'version https://git-lfs.github.com/spec/v1\n', b'\x08\x08' + bytes(90)])
    def test_a_foreign_file_is_told(self, tmp_path, content):
        (tmp_path / 'model.onnx').write_bytes(content)
        with pytest.raises(PerceptionError, match=r'onnx:.*model\.onnx cannot be loaded'):
            make(tmp_path / 'model.onnx')

    def test_a_class_without_a_name_is_told(self, tmp_path):
        rows = np.array([[(0, 0, 9, 9, 0.9, 5)]], np.float32)
        detector = make(save_onnx(tmp_path / 'model.onnx', {'output0': rows}, names=NAMES))
        with pytest.raises(PerceptionError, match='gives class 5, but has 3 names'):
            detector.boxes_in(np.zeros((48, 64, 3), np.uint8), detector.labels)
