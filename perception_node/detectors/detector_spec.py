"""Construction of a detector from its spec, such as `prototypes` or `owlvit:MODEL`."""

from lucca_core.errors import ConfigError
from perception_node.config import PerceptionConfig
from perception_node.detector import Detector
from perception_node.detectors.clip_model import ClipModel
from perception_node.detectors.onnx_detector import OnnxDetector
from perception_node.detectors.onnx_model import OnnxModel
from perception_node.detectors.phrase_models import GroundingDinoModel, OwlModel
from perception_node.detectors.prototype_detector import PrototypeDetector
from perception_node.detectors.vild_detector import VildDetector
from perception_node.detectors.zero_shot_detector import ZeroShotDetector
from perception_node.lexicon import load_lexicon

SPECS = 'prototypes, owlvit:MODEL, owlv2:MODEL, grounding-dino:MODEL, vild:CLIP_MODEL or onnx:FILE'
KINDS = ('owlvit', 'owlv2', 'grounding-dino', 'vild', 'onnx')


def make_detector(config: PerceptionConfig) -> Detector:
    """The configured detector, with its model loaded.

    Raises:
        ConfigError: the spec is unknown, or the file of prototypes is wrong.
        PerceptionError: the model cannot be loaded; the message names it.
    """
    lexicon = load_lexicon(config.objects_file)
    kind, _, model = config.detector.partition(':')
    if config.detector == 'prototypes':
        return PrototypeDetector(lexicon, config)
    if kind in ('owlvit', 'owlv2') and model:
        return ZeroShotDetector(lexicon, config, OwlModel(kind, model, device=config.device))
    if kind == 'grounding-dino' and model:
        return ZeroShotDetector(lexicon, config, GroundingDinoModel(model, device=config.device))
    if kind == 'vild' and model:
        return VildDetector(lexicon, config, ClipModel(model, device=config.device))
    if kind == 'onnx' and model:
        return OnnxDetector(lexicon, config, OnnxModel(model, device=config.device))
    raise _unknown(config.detector)


def check_spec(spec: str) -> None:
    """Checks that a detector's spec has a valid form, without loading it.

    Raises:
        ConfigError: it has none of the forms.
    """
    kind, _, model = spec.partition(':')
    if spec != 'prototypes' and not (kind in KINDS and model):
        raise _unknown(spec)


def _unknown(spec: str) -> ConfigError:
    return ConfigError(f'detector must be {SPECS}, got {spec!r}')
