"""Loading a model with transformers: its folder, its device, and errors that say what is missing."""

from collections.abc import Callable
from typing import Any, TypeVar

from lucca_core.errors import PerceptionError
from lucca_core.model_folder import model_folder

T = TypeVar('T')
FILES = ('config.json', 'preprocessor_config.json|processor_config.json')
"""What a folder must hold before anything is imported; a bar separates what may stand for each other."""


class LoadedModel:
    """A model of one type with its processor, on the GPU in half precision where there is one.

    Args:
        kind: the part of the spec before the colon.
        model: a folder, or a name of the hub.
        model_type: what `config.json` must say.
        class_name: the class of transformers that loads it.
        device: auto, cuda or cpu.

    Raises:
        PerceptionError: packages are missing, the folder is no model of this type, or weights are damaged or do not
            fit; the message names the model and what is wrong.
    """

    def __init__(self, kind: str, model: str, model_type: str, class_name: str, device: str) -> None:
        # Before the import, which takes seconds.
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
        # transformers fills weights that a file lacks with random numbers, and only warns.
        if report['missing_keys']:
            first = ', '.join(sorted(report['missing_keys'])[:3])
            raise PerceptionError(f'{self.name} cannot be loaded: its weights lack {first} and perhaps more')

    def run(self, call: Callable[[], T]) -> T:
        """What `call` returns, without gradients.

        Raises:
            PerceptionError: the model failed on this picture, or ran out of memory.
        """
        try:
            with self.torch.inference_mode():
                return call()
        except Exception as error:
            raise PerceptionError(f'{self.name} failed: {type(error).__name__}: {error}') from error

    def to_device(self, batch: Any) -> Any:
        """Inputs where the model is, numbers with a fraction in its precision."""
        return {
            name: value.to(self.device, self.dtype) if value.is_floating_point() else value.to(self.device)
            for name, value in batch.items()
        }
