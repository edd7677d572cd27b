"""Attack on clients of model and speech servers: a hostile server must not fill the memory or make a key show."""

import random
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import LuccaError
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_lab.attack.hostile_server import HostileServer, Temper, hostile_answer
from lucca_lab.attack.planted_key import planted_key, shows_key
from lucca_lab.voice.noise import silence
from lucca_llm.limits.deadline import background_loop
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.servers.embedder import HttpEmbedder
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel
from lucca_llm.servers.response_schema import MOST_TOKENS
from speech_node.hearing.openai_transcriber import OpenaiTranscriber
from speech_node.interfaces import Transcript
from speech_node.speaking.openai_speaker import OpenaiSpeaker

_DEADLINE_S = 0.25
_MOST_BYTES = 200_000
_MOST_GROWN_BYTES = 150_000_000
_CHAT = (Message('system', 'You sort fruit.'), Message('user', 'Objects on the table: apple, pear'))


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    temper = Temper()
    server = HostileServer(hostile_answer(temper))
    with planted_key(), closing(server):
        openai, ollama = OpenAIModel('m', server.url), OllamaModel('m', server.url)
        calls: list[tuple[Callable[[], Any], int]] = [
            (lambda: _chat(openai), 8),
            (lambda: _chat(ollama), 8),
            (lambda: _embed('openai', server.url), 1),
            (lambda: _embed('ollama', server.url), 1),
            (lambda: _hear(server.url), 1),
            (lambda: _speak(server.url), 1),
        ]
        began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        loop = background_loop()

        def trial(chance: random.Random) -> Counts:
            server.answer_next(chance.getrandbits(60))
            [call] = chance.choices([call for call, _ in calls], [weight for _, weight in calls])
            try:
                shown = call()
                ended = 'answers'
            except LuccaError as error:
                shown, ended = _chain(error), type(error).__name__
            if shows_key(shown):
                raise Broken(f'a piece of the key got out: {shown[:400]!a}')
            if server.strays:
                raise Broken('a redirect was followed')
            if background_loop() is not loop or not any(item.name == 'lucca-llm' for item in threading.enumerate()):
                raise Broken('the thread of the network calls has gone')
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - began
            if grown > _MOST_GROWN_BYTES:
                raise Broken(f'memory grew by {grown / 1e6:.0f} MB')
            return {ended: 1}

        yield trial
        openai.close()
        ollama.close()


def _chain(error: BaseException | None) -> str:
    """Everything that is printed of an error and of its causes."""
    shown = ''
    while error is not None:
        shown += f'{error} {error!r} {getattr(error, "retry_after_s", "")}\n'
        error = error.__cause__ or error.__context__
    return shown


def _chat(model: ChatModel) -> str:
    pieces: list[str] = []
    options = ChatOptions(deadline_s=_DEADLINE_S, answer_bytes=_MOST_BYTES)
    reply = model.chat(_CHAT, options, on_text=pieces.append)
    _check_reply(reply)
    return f'{"".join(pieces)} {reply!r} {reply.text}' + ''.join(call.arguments for call in reply.tool_calls)


def _check_reply(reply: ChatReply) -> None:
    texts = [reply.text, reply.finish_reason]
    for call in reply.tool_calls:
        texts += [call.call_id, call.name, call.arguments]
    for text in texts:
        if not isinstance(text, str):
            raise Broken(f'{text!r} is no text')
        text.encode()
    for count in (reply.prompt_tokens, reply.completion_tokens):
        if type(count) is not int or not 0 <= count <= MOST_TOKENS:
            raise Broken(f'{count!r} is no number of tokens')


def _embed(dialect: Any, url: str) -> str:
    embedder = HttpEmbedder(dialect, 'm', url, deadline_s=_DEADLINE_S)
    try:
        vectors = embedder.embed(['pear'])
        if vectors.shape != (1, embedder.dimensions) or not np.isfinite(vectors).all():
            raise Broken(f'{vectors!r} are no vectors')
    finally:
        embedder.close()
    return ''


def _hear(url: str) -> str:
    heard: Transcript = OpenaiTranscriber(
        f'm@{url}', language='en', timeout_s=_DEADLINE_S, answer_bytes=_MOST_BYTES
    ).transcribe(silence(0.1))
    heard.text.encode()
    if not 0 <= heard.confidence <= 1:
        raise Broken(f'{heard!r} has an impossible confidence')
    return repr(heard)


def _speak(url: str) -> str:
    samples = OpenaiSpeaker(f'm@{url}', timeout_s=_DEADLINE_S, answer_bytes=_MOST_BYTES).synthesise('Hello.')
    if samples.dtype != np.int16 or samples.ndim != 1:
        raise Broken(f'{samples!r} is no sound')
    return ''


PART = Attack(
    name='model-server',
    promise='Whatever a server sends, a call returns a checked value or an error, in bounded memory, and shows no key.',
    open=_open,
    sample=40,
    count=10_000,  # a trial is a connection or two, about 50 ms
)
