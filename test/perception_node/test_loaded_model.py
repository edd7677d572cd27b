"""The real model paths on tiny models with random weights, made here and loaded from disk: no download."""

import importlib.util
import json
import shutil

import numpy as np
import pytest
from tiny_models import save_clip, save_grounding_dino, save_owl

from lucca_core.errors import PerceptionError
from perception_node.config import PerceptionConfig
from perception_node.detectors.clip_model import ClipModel
from perception_node.detectors.detector_spec import make_detector
from perception_node.detectors.phrase_models import GroundingDinoModel, OwlModel
from perception_node.detectors.prompts import prompts
from perception_node.lexicon import load_lexicon

KINDS = ('owlvit', 'owlv2', 'grounding-dino', 'vild')
PHRASES = ('a cup', 'a pear', 'a brown open box')
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec('transformers') is None or importlib.util.find_spec('torch') is None,
    reason='torch and transformers are not installed',
)


@pytest.fixture(scope='module', autouse=True)
def offline():
    """Before transformers is imported for the first time, for that is when it is read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('HF_HUB_OFFLINE', '1')
        yield


@pytest.fixture(scope='module')
def tiny(offline, tmp_path_factory):
    """Folders of the tiny models by kind."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    root = tmp_path_factory.mktemp('models')
    folders = {kind: root / kind for kind in KINDS}
    for kind in ('owlvit', 'owlv2'):
        save_owl(folders[kind], kind)
    save_grounding_dino(folders['grounding-dino'])
    save_clip(folders['vild'])
    return folders


@pytest.fixture
def table(make_table):
    return make_table('sorting_tower', 1)


@pytest.mark.parametrize('kind', KINDS)
def test_a_picture_goes_through_the_real_model_to_objects_in_the_world(tiny, table, kind):
    config = PerceptionConfig(detector=f'{kind}:{tiny[kind]}', device='cpu', model_min_score=1e-6)
    detector = make_detector(config)
    frame, pipeline = table.frame(), table.pipeline()
    vocabulary = ('pear', 'cup', 'rubber duck')
    assert detector.refused(vocabulary) == ()
    mask = np.zeros(frame.depth_m.shape, bool)
    found = detector.detect(frame.rgb, frame.depth_m, pipeline.camera, vocabulary, mask)
    assert found
    containers = {item.name for item in load_lexicon().containers}
    for item in found:
        assert item.label in (containers if item.is_container else vocabulary)
        assert 0 < item.score <= 1
        x, y, z = item.pose_world.position_m
        assert (0.0 < x < 1.0, -1.0 < y < 1.0, 0.78 < z < 1.1) == (True,) * 3
        assert item.colour in {colour.name for colour in load_lexicon().colours}
    assert len([item for item in found if item.is_container]) == len(
        {item.label for item in found if item.is_container}
    )
    # The same picture and words, the same answer.
    assert detector.detect(frame.rgb, frame.depth_m, pipeline.camera, vocabulary, mask) == found


@pytest.mark.parametrize('version', ['owlvit', 'owlv2'])
def test_boxes_and_scores_of_owl_are_those_of_transformers_own_pipeline(tiny, table, version):
    import torch
    import transformers

    rgb = table.frame().rgb
    found = OwlModel(version, str(tiny[version]), device='cpu').find(rgb, PHRASES)
    prefix = {'owlvit': 'OwlViT', 'owlv2': 'Owlv2'}[version]
    model = getattr(transformers, f'{prefix}ForObjectDetection').from_pretrained(tiny[version]).eval()
    processor = transformers.AutoProcessor.from_pretrained(tiny[version])
    inputs = processor(text=[list(PHRASES)], images=rgb, return_tensors='pt')
    with torch.inference_mode():
        outputs = model(**inputs)
    [theirs] = processor.post_process_grounded_object_detection(outputs, threshold=0.0, target_sizes=[rgb.shape[:2]])
    assert found.boxes.shape == (16, 4)
    assert found.scores.max(axis=1) == pytest.approx(theirs['scores'].numpy(), abs=1e-5)
    # With random weights two phrases may be as good as equal.
    assert found.scores[np.arange(16), theirs['labels'].numpy()] == pytest.approx(theirs['scores'].numpy(), abs=1e-5)
    assert found.boxes == pytest.approx(theirs['boxes'].numpy(), abs=0.1)


def test_boxes_of_grounding_dino_are_those_of_transformers_own_pipeline(tiny, table):
    import torch
    import transformers

    rgb, folder = table.frame().rgb, tiny['grounding-dino']
    found = GroundingDinoModel(str(folder), device='cpu').find(rgb, PHRASES)
    model = transformers.GroundingDinoForObjectDetection.from_pretrained(folder).eval()
    processor = transformers.AutoProcessor.from_pretrained(folder)
    inputs = processor(text='a cup. a pear. a brown open box. ', images=rgb, return_tensors='pt')
    with torch.inference_mode():
        outputs = model(**inputs)
    [theirs] = processor.post_process_grounded_object_detection(
        outputs, inputs.input_ids, threshold=0.0, target_sizes=[rgb.shape[:2]]
    )
    assert found.boxes == pytest.approx(theirs['boxes'].numpy(), abs=0.1)
    assert found.scores.shape == (20, 3)
    assert (found.scores.max(axis=1) <= theirs['scores'].numpy() + 1e-5).all()


def test_more_phrases_than_fit_into_one_text_are_asked_for_in_several(tiny, table):
    model = GroundingDinoModel(str(tiny['grounding-dino']), device='cpu')
    rgb, phrases = (
        table.frame().rgb,
        [f'{word} thing' for word in ('red', 'blue', 'small', 'large', 'odd', 'even', 'old')],
    )
    together = model.find(rgb, phrases)
    assert len(together.boxes) > 20
    assert (together.scores.max(axis=0) > 0).all()
    alone = model.find(rgb, phrases[:3])
    assert together.boxes.shape[0] % 20 == 0
    assert alone.boxes.shape == (20, 4)


def test_clip_gives_unit_vectors_of_any_number_of_pictures_and_texts(tiny):
    model = ClipModel(str(tiny['vild']), device='cpu')
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 255, (8 + n, 20, 3), dtype=np.uint8) for n in range(35)]
    vectors = model.of_images(pictures)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(35))
    assert model.of_images(pictures[33:]) == pytest.approx(vectors[33:], abs=1e-4)
    texts = model.of_texts(['a cup', 'a much longer text about a pear on a table ' * 5])
    assert texts.shape == (2, 16)
    assert model.of_images([]).shape == (0, 16)


def refused(kind, folder, match):
    with pytest.raises(PerceptionError, match=match) as caught:
        make_detector(PerceptionConfig(detector=f'{kind}:{folder}', device='cpu'))
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize('kind', KINDS)
def test_a_folder_that_is_none_or_holds_no_model_is_named(kind, tmp_path):
    refused(kind, tmp_path / 'gone', 'is not a model folder')
    refused(kind, tmp_path, r'config\.json, preprocessor_config\.json or processor_config\.json is missing')


@pytest.mark.parametrize('kind', KINDS)
def test_a_model_of_another_type_is_named_with_its_type(tiny, kind):
    other = 'vild' if kind != 'vild' else 'owlvit'
    refused(kind, tiny[other], 'is a model of type')


@pytest.mark.parametrize('kind', KINDS)
def test_damaged_weights_and_weights_of_another_model_are_refused(tiny, kind, tmp_path):
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / 'model'
    shutil.copytree(tiny[kind], folder)
    weights = folder / 'model.safetensors'
    whole = weights.read_bytes()
    weights.write_bytes(b'nothing of use')
    refused(kind, folder, 'cannot be loaded')
    weights.write_bytes(whole[: len(whole) // 2])
    refused(kind, folder, 'cannot be loaded')
    weights.write_bytes(whole)
    tensors = load_file(weights)
    tensors.pop(sorted(tensors)[0])
    save_file(tensors, weights, metadata={'format': 'pt'})
    refused(kind, folder, 'its weights lack')
    weights.unlink()
    refused(kind, folder, 'cannot be loaded')


def test_a_damaged_configuration_is_refused(tiny, tmp_path):
    folder = tmp_path / 'model'
    shutil.copytree(tiny['vild'], folder)
    (folder / 'config.json').write_text(json.dumps({'model_type': 'no such type'}))
    refused('vild', folder, 'cannot be loaded')
    (folder / 'config.json').write_text('{')
    refused('vild', folder, 'cannot be loaded')


def test_a_name_of_the_hub_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv('HF_HOME', str(tmp_path))
    # Without a network, the hub is asked again and again for 20 s before it counts as out of reach.
    monkeypatch.setattr('huggingface_hub.constants.HF_HUB_OFFLINE', True)
    refused('owlvit', 'nobody/no-such-model', 'cannot be loaded')


def test_the_phrases_of_the_shipped_objects_fit_into_the_texts_of_clip(tiny):
    model = ClipModel(str(tiny['vild']), device='cpu')
    lexicon = load_lexicon()
    phrases = [phrase for item in prompts(lexicon, lexicon.labels) for phrase in item.phrases]
    assert model.of_texts(phrases).shape == (len(phrases), 16)
