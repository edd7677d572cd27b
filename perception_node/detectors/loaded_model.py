"""Models loaded with transformers: their folder, their device, and errors that say what is missing."""

from collections.abc import Callable
from typing import Any, TypeVar

from lucca_core.errors import PerceptionError
from lucca_core.model_folder import model_folder

T = TypeVar('T')
FILES = ('config.json', 'preprocessor_config.json|processor_config.json')
"""Files that a model's folder must hold, checked before any import; `a|b` means that either will do."""


class LoadedModel:
    """A model of one type with its processor, on the GPU in half precision if there is a GPU.

    Args:
        kind: the part of the spec before the colon.
        model: a folder, or a name on the hub.
        model_type: the required type in `config.json`.
        class_name: the class of transformers that loads it.
        device: auto, cuda or cpu.

    Raises:
        PerceptionError: packages are missing, the folder has no model of this type, or its weights are damaged or do
            not fit; the message names the model and the problem.
    """

    def __init__(self, kind: str, model: str, model_type: str, class_name: str, device: str) -> None:
        # Checked before the import, which takes seconds.
        place = model_folder(model, FILES, PerceptionError) or model
        try:
            import torch
            import transformers
        except ImportError as error:
            raise PerceptionError(
                f'the detector {kind} needs: pip install torch transformers pillow ({error})'
            ) from error
        self.name = f'{kind}:{model}'
        self.torch: Any = torch
        cuda = device == 'cuda' or (device == 'auto' and torch.cuda.is_available())
        self.device = 'cuda' if cuda else 'cpu'
        self.dtype: Any = torch.float16 if cuda else torch.float32
        try:
            config: Any = transformers.AutoConfig.from_pretrained(place)
            if config.model_type != model_type:
                raise PerceptionError(
                    f'{model!r} is a model of type {config.model_type!r}, {kind} needs {model_type!r}'
                )
            self.processor: Any = transformers.AutoProcessor.from_pretrained(place)
            network, report = getattr(transformers, class_name).from_pretrained(
                place, dtype=self.dtype, output_loading_info=True
            )
            self.network: Any = network.to(self.device).eval()
        except PerceptionError:
            raise
        except Exception as error:
            raise PerceptionError(f'{self.name} cannot be loaded: {type(error).__name__}: {error}') from error
        # If the file lacks weights, transformers fills them with random numbers and only warns.
        if report['missing_keys']:
            first = ', '.join(sorted(report['missing_keys'])[:3])
            raise PerceptionError(f'{self.name} cannot be loaded: its weights lack {first} and perhaps more')

    def run(self, call: Callable[[], T]) -> T:
        """The result of `call`, computed without gradients.

        Raises:
            PerceptionError: the model failed on this image, or ran out of memory.
        """
        try:
            with self.torch.inference_mode():
                return call()
        except Exception as error:
            raise PerceptionError(f'{self.name} failed: {type(error).__name__}: {error}') from error

    def to_device(self, batch: Any) -> Any:
        """The inputs on the model's device; floating-point inputs in the model's precision."""
        return {
            name: value.to(self.device, self.dtype) if value.is_floating_point() else value.to(self.device)
            for name, value in batch.items()
        }
