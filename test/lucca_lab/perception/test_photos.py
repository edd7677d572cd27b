"""Photographs with labels: what counts as found, and what is wrong with a set is said."""

import json

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from lucca_core.errors import ConfigError
from lucca_lab.commands.eval_perception import perception
from lucca_lab.perception import photos
from lucca_lab.perception.photos import Counts, Photo, measure_photos, photos_in, score_photo
from perception_node.detectors.boxes import NamedBox

WIDE, HIGH = 100, 50


class FakePictureDetector:
    """Finds an apple at the left of every picture, and a cup that is not there."""

    def refused(self, words):
        """Bananas."""
        return tuple(word for word in words if word == 'banana')

    def boxes_in(self, rgb, vocabulary):
        """See PictureDetector."""
        assert rgb.shape == (HIGH, WIDE, 3)
        assert vocabulary == ('apple', 'cup')
        return named(('apple', 0.9, (0, 0, 20, 50)), ('cup', 0.3, (60, 0, 90, 50)))


def named(*items):
    return tuple(NamedBox(label, score, np.array(box, np.float64)) for label, score, box in items)


@pytest.fixture
def folder(tmp_path):
    """Two pictures with an apple, a mug or a banana, and one without a text."""
    for name in ('images', 'labels'):
        (tmp_path / name).mkdir()
    for name in 'abc':
        cv2.imwrite(str(tmp_path / 'images' / f'{name}.png'), np.zeros((HIGH, WIDE, 3), np.uint8))
    (tmp_path / 'labels' / 'a.txt').write_text('0 0.1 0.5 0.2 1.0\n1 0.5 0.5 0.1 0.1\n')
    (tmp_path / 'labels' / 'b.txt').write_text('2 0.5 0.5 0.1 0.1 0.7\n')
    (tmp_path / 'classes.txt').write_text('apple\nmug\nbanana\n')
    return tmp_path


def test_a_set_is_read_with_our_labels(folder):
    labels, found = photos_in(folder)
    assert labels == ('apple', 'cup', 'banana')
    assert [item.labels for item in found] == [('apple', 'cup'), ('banana',), ()]
    assert found[0].boxes == pytest.approx(np.array([(0, 0, 0.2, 1), (0.45, 0.45, 0.55, 0.55)]))


def test_the_best_detection_takes_the_thing_and_a_second_one_is_wrong():
    photo = Photo(file=None, labels=('apple', 'apple'), boxes=np.array([(0, 0, 10, 10), (50, 0, 60, 10)], np.float64))
    boxes = named(('apple', 0.6, (0, 0, 10, 10)), ('apple', 0.9, (1, 0, 11, 10)), ('cup', 0.9, (50, 0, 60, 10)))
    assert score_photo(photo, boxes, 0.2) == {'apple': Counts(1, 1, 1), 'cup': Counts(0, 0, 1)}
    assert score_photo(photo, boxes, 0.7) == {'apple': Counts(1, 1, 0), 'cup': Counts(0, 0, 1)}


def test_counts_are_by_score_and_by_label(folder, monkeypatch):
    monkeypatch.setattr(photos, 'make_detector', lambda config: FakePictureDetector())
    measured = measure_photos(folder, 'onnx:any')
    assert (measured['photos'], measured['not_looked_for']) == (3, ['banana'])
    assert {name: (item['found'], item['missed'], item['wrong']) for name, item in measured['by_label'].items()} == {
        'apple': (1, 0, 2),
        'cup': (0, 1, 3),
        'banana': (0, 1, 0),
    }
    assert [measured['by_score'][score]['wrong'] for score in ('0.2', '0.5')] == [5, 2]
    assert measured['by_label']['apple']['precision'] == pytest.approx(1 / 3, abs=1e-4)
    assert measured['by_label']['banana']['precision'] is None


def test_a_detector_that_needs_depth_is_refused(folder):
    with pytest.raises(ConfigError, match='prototypes places things by depth'):
        measure_photos(folder, 'prototypes')


@pytest.mark.parametrize(
    ('file', 'content', 'reason'),
    [
        ('classes.txt', 'apple\n', 'is no class and box'),
        ('labels/a.txt', '0 0.1 0.5\n', 'is no class and box'),
        ('labels/a.txt', '7 0.1 0.5 0.2 1.0\n', 'is no class and box'),
    ],
)
def test_what_is_wrong_with_a_set_is_said(folder, file, content, reason):
    (folder / file).write_text(content)
    with pytest.raises(ConfigError, match=reason):
        photos_in(folder)


def test_the_command_prints_and_writes_the_figures(folder, monkeypatch):
    monkeypatch.setattr(photos, 'make_detector', lambda config: FakePictureDetector())
    app = typer.Typer()
    app.command()(perception)
    out = folder / 'out'
    words = ['--photos', str(folder), '--detector', 'onnx:any', '--out', str(out)]
    result = CliRunner().invoke(app, [*words, '--json'])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == json.loads((out / 'photos.json').read_text())
    assert '| apple | 1 | 0 | 2 | 0.333' in (out / 'photos.md').read_text()
    assert 'Not looked for: banana' in CliRunner().invoke(app, words).output


def test_a_picture_that_is_none_is_said(folder, monkeypatch):
    monkeypatch.setattr(photos, 'make_detector', lambda config: FakePictureDetector())
    (folder / 'images' / 'a.png').write_text('text')
    with pytest.raises(ConfigError, match=r'a\.png.*is no picture'):
        measure_photos(folder, 'onnx:any')


def test_a_folder_that_is_no_set_is_said(folder):
    for file in (folder / 'images').iterdir():
        file.unlink()
    with pytest.raises(ConfigError, match='holds no pictures'):
        photos_in(folder)
    (folder / 'classes.txt').unlink()
    with pytest.raises(ConfigError, match=r'classes\.txt'):
        photos_in(folder)
