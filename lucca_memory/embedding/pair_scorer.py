"""Scores of pairs of texts that are read together (a cross-encoder, Nogueira and Cho 2019), in numpy."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelUnusable
from lucca_memory.embedding.bert_encoder import BertEncoder, batches
from lucca_memory.embedding.bert_files import read_network
from lucca_memory.embedding.pair_adapter import check_base, read_pair_adapter

Scores = NDArray[np.float32]
"""Shape (n,): log odds that the answer is yes; above 0 is more likely than not."""


class PairScorer:
    """A sentence encoder with an adapter merged into it; what a score says depends on the adapter. Thread-safe."""

    def __init__(self, folder: Path, adapter_file: Path) -> None:
        """Loads the weights in a folder and the adapter. The merged matrices are in memory, 42 MB of MiniLM's.

        Raises:
            ModelUnusable: the folder holds no such model, the file no adapter, or one for other weights.
        """
        adapter = read_pair_adapter(adapter_file)
        network = read_network(folder)
        check_base(adapter.base_sha256, folder)
        try:
            # To refuse a length that does not leave room for two texts.
            network.tokenizer.pair_ids('', '', adapter.longest)
            self._encoder = BertEncoder(adapter.merged(network))
        except ValueError as error:
            raise ModelUnusable(f'{adapter_file} does not fit the model in {folder}: {error}') from error
        self._adapter = adapter
        self._tokenizer = network.tokenizer

    def scores(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """One score for each (left, right), in order; long texts are cut as in the training. Never fails."""
        coded = [self._tokenizer.pair_ids(left, right, self._adapter.longest) for left, right in pairs]
        found = np.empty(len(pairs), np.float32)
        for batch in batches([len(ids) for ids, _ in coded]):
            ids = np.array([coded[number][0] for number in batch])
            starts = np.array([coded[number][1] for number in batch])
            states = self._encoder.states(ids, np.arange(ids.shape[1]) >= starts[:, None])
            pooled = states.mean(axis=1) if self._adapter.pool == 'mean' else states[:, 0]
            found[batch] = pooled @ self._adapter.weight + np.float32(self._adapter.bias)
        return found
