"""A language model in a GGUF file of this machine; see ChatModel."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.trained_models import TRAINED_MODELS, WeightsFormat
from lucca_llm.local.config import LocalConfig
from lucca_llm.local.gguf_file import check_gguf
from lucca_llm.local.llama_library import require_llama_cpp
from lucca_llm.local.model_process import ModelProcess
from lucca_llm.model import ChatOptions, ChatReply, Message

_CHECK_TOKENS = 4


def adapter_of(name: str, model: str) -> Path:
    """The adapter in `local:MODEL+NAME`: one in `config/adapters`, or a file that ends with .gguf.

    Raises:
        ConfigError: it is missing, made for another model, or not a GGUF file.
    """
    shipped = {file.stem: file for file in sorted((config_dir() / 'adapters').glob('*.gguf'))}
    if name in shipped:
        file = shipped[name]
        told = file.with_suffix('.json')
        try:
            made_for = json.loads(told.read_text(encoding='utf-8'))['model']
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f'does not say for which model the adapter is: {error!r}', file=str(told)) from error
        if made_for != model:
            raise ConfigError(f'local:{model}+{name}: the adapter {name} was made for {made_for}, not for {model}')
    elif name.lower().endswith('.gguf'):
        file = Path(name).expanduser()
    else:
        there = ', '.join(shipped) or 'none'
        raise ConfigError(f'local:{model}+{name} names no adapter; there are {there}, or a file that ends with .gguf')
    check_gguf(file)
    return file


def file_of(name: str) -> Path:
    """The file for `local:NAME`: a model fetched by `lucca models get`, or a file that ends with .gguf.

    Raises:
        ConfigError: there is no such model or file, or it is not a model in GGUF.
    """
    known = {model.name: model for model in TRAINED_MODELS.values() if model.format is WeightsFormat.GGUF}
    if name in known:
        file = known[name].file_to_load
        if not file.is_file():
            raise ConfigError(f'local:{name} is not on this machine: run `lucca models get {name}`')
    elif name.lower().endswith('.gguf'):
        file = Path(name).expanduser()
    else:
        raise ConfigError(f'local:{name} names no model; there are {", ".join(known)}, or a file that ends with .gguf')
    check_gguf(file)
    return file


class LocalModel:
    """One model file, in a process that all LocalModels of this process share. It is loaded at the first call.

    Raises:
        ConfigError: the file or its adapter is missing or not a GGUF file, or llama.cpp is missing.
    """

    def __init__(self, name: str, config: LocalConfig | None = None, process: ModelProcess | None = None) -> None:
        self._name = name
        if process is None:
            require_llama_cpp()
            model, _, adapter = name.partition('+')
            file, config = file_of(model), config or LocalConfig()
            if adapter:
                config = replace(config, adapter=str(adapter_of(adapter, model)))
            self._process = _shared.take(file, config)
            self._let_go: Callable[[], None] | None = lambda: _shared.let_go(file, config)
        else:
            self._process, self._let_go = process, process.close

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.spec!r})'

    @property
    def spec(self) -> str:
        """The string that chose this model."""
        return f'local:{self._name}'

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer to a chat; see ChatModel. Token counts are the model's own.

        Raises:
            ModelUnusable: also if the prompt and the longest answer do not fit the model's context.
        """
        if not messages:
            raise ValueError('a chat needs at least one message')
        began_s = time.monotonic()
        chat = {
            'messages': [{'role': message.role, 'content': message.content} for message in messages],
            'temperature': options.temperature,
            'top_p': options.top_p,
            'frequency_penalty': options.frequency_penalty,
            'presence_penalty': options.presence_penalty,
            'seed': options.seed,
            'max_tokens': options.max_tokens,
            'grammar': options.grammar,
            'choices': list(options.choices),
        }
        done = self._process.call(chat, began_s + options.deadline_s, on_text, cancelled)
        return ChatReply(
            text=done['text'],
            prompt_tokens=done['prompt_tokens'],
            completion_tokens=done['completion_tokens'],
            model_s=time.monotonic() - began_s,
            finish_reason=done['finish_reason'],
            likelihoods=tuple(done.get('likelihoods', ())),
        )

    def check(self, deadline_s: float) -> None:
        """Loads the model and makes it answer once; see ChatModel. Loading does not count towards the deadline.

        On a busy machine it takes long, and says nothing about how fast the model answers.
        """
        self._process.load()
        self.chat([Message('user', 'Answer with: ok')], ChatOptions(deadline_s=deadline_s, max_tokens=_CHECK_TOKENS))

    def close(self) -> None:
        """Releases the process; the last model that does so ends it."""
        let_go, self._let_go = self._let_go, None
        if let_go is not None:
            let_go()


class _SharedProcesses:
    """The model processes started by this process, with the number of models that use each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[tuple[Path, LocalConfig], tuple[ModelProcess, int]] = {}

    def take(self, file: Path, config: LocalConfig) -> ModelProcess:
        with self._lock:
            process, users = self._used.get((file, config), (None, 0))
            process = process or ModelProcess(file, config)
            self._used[file, config] = (process, users + 1)
            return process

    def let_go(self, file: Path, config: LocalConfig) -> None:
        with self._lock:
            process, users = self._used.pop((file, config))
            if users > 1:
                self._used[file, config] = (process, users - 1)
                return
        process.close()


_shared = _SharedProcesses()
