"""Sentence encoders of BERT's family in numpy: real embeddings on any machine, without a deep-learning framework.

A sentence is the mean of its tokens' last states, scaled to length one (Reimers and Gurevych 2019, section 3).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lucca_memory.embedding.bert_encoder import BertEncoder, batches
from lucca_memory.embedding.bert_files import read_network
from lucca_memory.embedding.embedder import Vectors


class BertEmbedder:
    """Sentence vectors from the weights in a folder."""

    def __init__(self, folder: Path, spec: str) -> None:
        """Loads the weights; see `read_network`.

        Raises:
            ModelUnusable: the folder holds no such model, or one with unsupported parts.
        """
        self.spec = spec
        network = read_network(folder)
        self._tokenizer = network.tokenizer
        self._encoder = BertEncoder(network)
        self.dimensions = self._encoder.dimensions

    def knows(self, word: str) -> bool:
        """Whether a word is a single token of the vocabulary, and so was frequent in the training texts."""
        return self._tokenizer.is_whole(word)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder; never fails once the weights are loaded."""
        ids = [self._tokenizer.ids(text) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for batch in batches([len(tokens) for tokens in ids]):
            means = self._encoder.states(np.array([ids[number] for number in batch])).mean(axis=1)
            vectors[batch] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors
