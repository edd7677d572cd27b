"""CLIP from transformers: images and texts as directions in one space."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from perception_node.camera import Doubles
from perception_node.detector import Image
from perception_node.detectors.boxes import normalised
from perception_node.detectors.loaded_model import LoadedModel

_BATCH = 32


class ImageTextEmbedder(Protocol):
    """Embeds images and texts as vectors that can be compared."""

    def of_images(self, images: Sequence[Image]) -> Doubles:
        """Unit vectors (n, d) of images (h, w, 3) of any size.

        Raises:
            PerceptionError: the model failed.
        """
        ...

    def of_texts(self, texts: Sequence[str]) -> Doubles:
        """Unit vectors (n, d) of texts. Raises like `of_images`."""
        ...


class ClipModel:
    """A CLIP model. For errors while loading, see LoadedModel."""

    def __init__(self, model: str, *, device: str = 'auto') -> None:
        self._model = LoadedModel('vild', model, 'clip', 'CLIPModel', device)

    def of_images(self, images: Sequence[Image]) -> Doubles:
        """See ImageTextEmbedder."""
        return self._model.run(
            lambda: self._batched(
                images, lambda batch: self._model.processor.image_processor(images=batch, return_tensors='pt'), 'image'
            )
        )

    def of_texts(self, texts: Sequence[str]) -> Doubles:
        """See ImageTextEmbedder."""
        longest = self._model.network.config.text_config.max_position_embeddings
        return self._model.run(
            lambda: self._batched(
                texts,
                lambda batch: self._model.processor.tokenizer(
                    batch, padding=True, truncation=True, max_length=longest, return_tensors='pt'
                ),
                'text',
            )
        )

    def _batched(self, items: Sequence[Any], prepare: Any, what: str) -> Doubles:
        features = getattr(self._model.network, f'get_{what}_features')
        wanted = ('pixel_values',) if what == 'image' else ('input_ids', 'attention_mask')
        rows = []
        for start in range(0, len(items), _BATCH):
            batch = prepare(list(items[start : start + _BATCH]))
            made = features(**self._model.to_device({key: batch[key] for key in wanted}))
            # transformers 4 returns the vectors; version 5 returns an output with the vectors in pooler_output.
            vectors = getattr(made, 'pooler_output', made)
            rows.append(vectors.float().cpu().numpy())
        size = self._model.network.config.projection_dim
        return normalised(np.concatenate(rows) if rows else np.zeros((0, size)))
