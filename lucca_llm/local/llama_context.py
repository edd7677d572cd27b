"""A model and its evaluation in llama.cpp: tokens, logits, and the state of the evaluated tokens.

The context holds a single sequence of tokens (number 0) that grows and is cut, except in `logits_of_branches`. Use it
in a process of its own, as a bug of llama.cpp ends the process.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelUnusable
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.token_tree import MOST_BRANCHES, TokenNode

BATCH = 128
"""Tokens evaluated at a time; a call can be cancelled between two batches."""
_BRANCH_TOKENS = 2048
_MOST_PIECE_BYTES = 512
_ERROR = 4


class LlamaContext:
    """One loaded model. Not thread-safe.

    Raises:
        ModelUnusable: llama.cpp cannot load the file or its adapter, or has no memory for its context.
    """

    def __init__(self, functions: ModuleType, file: Path, config: LocalConfig) -> None:
        self._llama: Any = functions
        # A reference is kept, as llama.cpp calls this for as long as the process lives.
        self._log = functions.llama_log_callback(_tell_errors)
        self._llama.llama_log_set(self._log, None)
        self._llama.llama_backend_init()
        self._model = self._loaded(file)
        self._vocab = self._llama.llama_model_get_vocab(self._model)
        trained = int(self._llama.llama_model_n_ctx_train(self._model))
        self.window = min(config.context_tokens, trained) if trained > 0 else config.context_tokens
        self._context = self._made(file, config)
        if config.adapter:
            self._adapt(file, config.adapter)
        self._memory = self._llama.llama_get_memory(self._context)
        self._words = int(self._llama.llama_vocab_n_tokens(self._vocab))
        self._batch = self._llama.llama_batch_init(BATCH, 0, MOST_BRANCHES + 1)
        self.tokens: list[int] = []

    @property
    def functions(self) -> Any:
        """The declarations of llama.cpp."""
        return self._llama

    @property
    def handle(self) -> Any:
        """llama.cpp's own context, for its samplers."""
        return self._context

    @property
    def vocabulary(self) -> Any:
        """llama.cpp's own vocabulary, for its grammars."""
        return self._vocab

    @property
    def size(self) -> int:
        """Tokens in the vocabulary."""
        return self._words

    @property
    def template(self) -> str:
        """The chat template in the file; empty if there is none."""
        found = self._llama.llama_model_chat_template(self._model, None)
        return found.decode('utf-8', 'replace') if found else ''

    @property
    def begin_and_end(self) -> tuple[str, str]:
        """The texts of the tokens that begin and end a sequence."""
        begin, end = self._llama.llama_vocab_bos(self._vocab), self._llama.llama_vocab_eos(self._vocab)
        return self._text_of(begin), self._text_of(end)

    @property
    def marks(self) -> tuple[str, ...]:
        """The texts of the control tokens, such as `<|im_end|>`; not of marks that a file lists as ordinary tokens."""
        control = self._llama.llama_vocab_is_control
        return tuple(self._text_of(token) for token in range(self._words) if control(self._vocab, token))

    def tokenized(self, text: str, *, special: bool) -> list[int]:
        """A text as tokens. `special`: text such as `<|im_start|>` becomes the token of that name."""
        data = text.encode('utf-8', 'replace')
        most = len(data) + 8
        found = (self._llama.llama_token * most)()
        count = self._llama.llama_tokenize(self._vocab, data, len(data), found, most, False, special)
        if count < 0:
            raise ModelUnusable(f'the vocabulary of the model cannot write a text of {len(text)} characters')
        return list(found[:count])

    def piece(self, token: int) -> bytes:
        """The bytes of a token; empty for control tokens such as the end of a message."""
        return self._piece(token, special=False)

    def ends(self, token: int) -> bool:
        """Whether a token ends an answer."""
        return bool(self._llama.llama_vocab_is_eog(self._vocab, token))

    def cut(self, length: int) -> None:
        """Forgets all but the first `length` tokens, or everything if the model cannot forget a part."""
        if length >= len(self.tokens):
            return
        if not self._llama.llama_memory_seq_rm(self._memory, 0, length, -1):
            self._llama.llama_memory_clear(self._memory, True)
            length = 0
        del self.tokens[length:]

    def evaluate(self, tokens: Sequence[int], cancelled: Callable[[], bool]) -> bool:
        """Appends tokens; afterwards the logits of the last one are known. False if it was cancelled meanwhile."""
        for start in range(0, len(tokens), BATCH):
            if cancelled():
                return False
            part = tokens[start : start + BATCH]
            last = start + len(part) == len(tokens)
            nodes = [(token, len(self.tokens) + place, (0,)) for place, token in enumerate(part)]
            self._decode(nodes, logits=[last and place == len(part) - 1 for place in range(len(part))])
            self.tokens.extend(part)
        return True

    def logits(self, row: int = -1) -> NDArray[np.float32]:
        """The logits for one token of the last batch: a value for each token of the vocabulary."""
        pointer = self._llama.llama_get_logits_ith(self._context, row)
        return np.ctypeslib.as_array(pointer, shape=(self._words,)).copy()

    def logits_of_branches(
        self, nodes: Sequence[TokenNode], branches: int, see: Callable[[int, NDArray[Any]], None]
    ) -> None:
        """Evaluates a tree of continuations of the sequence, and forgets it again.

        Args:
            nodes: each after its parent; `depth` is 0 for the first token of a continuation.
            branches: number of continuations, at most MOST_BRANCHES.
            see: called with the number and the logits of each node that is continued.
        """
        base = len(self.tokens)
        for branch in range(1, branches + 1):
            self._llama.llama_memory_seq_cp(self._memory, 0, branch, -1, -1)
        try:
            for start in range(0, len(nodes), BATCH):
                part = nodes[start : start + BATCH]
                where = [(n.token, base + n.depth, tuple(branch + 1 for branch in n.branches)) for n in part]
                self._decode(where, logits=[node.is_continued for node in part])
                for place, node in enumerate(part):
                    if node.is_continued:
                        see(start + place, self.logits(place))
        finally:
            for branch in range(1, branches + 1):
                self._llama.llama_memory_seq_rm(self._memory, branch, -1, -1)

    def saved(self) -> bytes:
        """The state of the evaluated tokens, for `restore`."""
        size = self._llama.llama_state_seq_get_size(self._context, 0)
        data = (ctypes.c_uint8 * size)()
        written = self._llama.llama_state_seq_get_data(self._context, data, size, 0)
        return bytes(memoryview(data)[:written])

    def restore(self, tokens: Sequence[int], data: bytes) -> bool:
        """Restores the state saved for these tokens. False if llama.cpp refuses it; then no tokens are known."""
        self._llama.llama_memory_clear(self._memory, True)
        self.tokens.clear()
        buffer = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
        if not self._llama.llama_state_seq_set_data(self._context, buffer, len(data), 0):
            return False
        self.tokens.extend(tokens)
        return True

    def _loaded(self, file: Path) -> Any:
        settings = self._llama.llama_model_default_params()
        settings.n_gpu_layers = 0
        # Other layouts of the weights in memory could not be shared by processes, and the one for AMX crashes on Q4_1.
        settings.use_extra_bufts = False
        model = self._llama.llama_model_load_from_file(os.fsencode(file), settings)
        if not model:
            raise ModelUnusable(
                f'{file} cannot be loaded by llama.cpp: it is damaged, or of a kind that it does not know'
            )
        return model

    def _adapt(self, file: Path, adapter: str) -> None:
        found = self._llama.llama_adapter_lora_init(self._model, os.fsencode(adapter))
        # The model would answer differently without the requested adapter, so its loss is an error.
        if not found or self._llama.llama_set_adapters_lora(
            self._context, (type(found) * 1)(found), 1, (ctypes.c_float * 1)(1.0)
        ):
            raise ModelUnusable(
                f'the adapter {adapter} cannot be put on {file}: it is damaged, or was made for another model'
            )

    def _made(self, file: Path, config: LocalConfig) -> Any:
        settings = self._llama.llama_context_default_params()
        # The branches of a tree need room besides the longest prompt with its answer.
        settings.n_ctx = self.window + _BRANCH_TOKENS
        settings.n_batch = settings.n_ubatch = BATCH
        settings.n_seq_max = MOST_BRANCHES + 1
        settings.kv_unified = True
        threads = config.threads or max(1, len(os.sched_getaffinity(0)) // 2)
        settings.n_threads = settings.n_threads_batch = threads
        context = self._llama.llama_init_from_model(self._model, settings)
        if not context:
            raise ModelUnusable(f'there is no memory for {self.window} tokens of {file}')
        return context

    def _decode(self, nodes: Sequence[tuple[int, int, tuple[int, ...]]], *, logits: Sequence[bool]) -> None:
        batch = self._batch
        batch.n_tokens = len(nodes)
        for place, (token, position, sequences) in enumerate(nodes):
            batch.token[place], batch.pos[place] = token, position
            batch.n_seq_id[place] = len(sequences)
            for number, sequence in enumerate(sequences):
                batch.seq_id[place][number] = sequence
            batch.logits[place] = logits[place]
        if code := self._llama.llama_decode(self._context, batch):
            # The content of the memory is unknown now.
            self._llama.llama_memory_clear(self._memory, True)
            self.tokens.clear()
            raise ModelUnusable(f'llama.cpp could not evaluate {len(nodes)} tokens (code {code})')

    def _text_of(self, token: int) -> str:
        return self._piece(token, special=True).decode('utf-8', 'replace') if token >= 0 else ''

    def _piece(self, token: int, *, special: bool) -> bytes:
        buffer = ctypes.create_string_buffer(_MOST_PIECE_BYTES)
        count = self._llama.llama_token_to_piece(self._vocab, token, buffer, _MOST_PIECE_BYTES, 0, special)
        return buffer.raw[: max(count, 0)]


def _tell_errors(level: int, text: bytes, _: Any) -> None:
    """Prints errors of llama.cpp; the caller shows them if the process ends."""
    if level == _ERROR:
        sys.stderr.write(text.decode('utf-8', 'replace'))
        sys.stderr.flush()
