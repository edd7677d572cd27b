"""A wrapper that makes any model fail according to a fault profile: `faulty:PROFILE:SPEC`."""

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from lucca_core.errors import ConfigError, ModelRetryable, ModelTimeout
from lucca_core.paths import config_dir
from lucca_lab.faults.fault_keys import fault_key
from lucca_lab.faults.fault_profiles import FaultProfile, ModelFault, load_fault_profiles
from lucca_lab.faults.text_faults import (
    ANSWER_CHANGES,
    PromptScene,
    instruction_distance,
    with_injected_instructions,
    without_instructions,
)
from lucca_llm.limits.tokens import estimate_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message

_logger = logging.getLogger(__name__)
_POLL_S = 0.02


class FaultyModel:
    """Makes calls of the wrapped model fail. Faults depend on the profile's seed and on what the call shares with
    others.

    It works on text only: it knows about tasks and the table only what the messages say.
    """

    def __init__(self, model: ChatModel, profile: FaultProfile) -> None:
        self._model = model
        self._profile = profile
        self._lock = threading.Lock()
        self._calls = 0
        self._in_a_row = 0
        self._injected: Counter[ModelFault] = Counter()

    @property
    def spec(self) -> str:
        """The string that chose this model."""
        return f'faulty:{self._profile.name}#{self._profile.seed}:{self._model.spec}'

    @property
    def injected(self) -> Counter[ModelFault]:
        """How often each fault has been injected so far."""
        with self._lock:
            return Counter(self._injected)

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer, perhaps a bad one; see `ChatModel`. `on_text` gets it in one piece."""
        chance, drawn = self._draw(messages)
        for fault in drawn:
            if fault in (ModelFault.TIMEOUT, ModelFault.SERVER_ERROR, ModelFault.RATE_LIMIT):
                self._note(fault)
                self._fail(fault, options, cancelled)
        sent = tuple(messages)
        happened: ModelFault | None = None
        for fault in drawn:
            changed = None
            if fault is ModelFault.FORGOTTEN_INSTRUCTIONS:
                changed = without_instructions(sent)
            elif fault is ModelFault.INJECTED_INSTRUCTIONS:
                changed = with_injected_instructions(sent, chance)
            if changed is not None:
                sent, happened = changed, fault
                break
        reply = self._model.chat(sent, options, cancelled=cancelled)
        if happened is None:
            scene = PromptScene.of(messages)
            for fault in drawn:
                change = ANSWER_CHANGES.get(fault)
                text = change(scene, reply.text, chance) if change else None
                if text is not None:
                    reply = replace(reply, text=text, completion_tokens=estimate_tokens(text))
                    happened = fault
                    break
        self._note(happened)
        if on_text is not None:
            on_text(reply.text)
        return reply

    def check(self, deadline_s: float) -> None:
        """Checks the wrapped model, without faults; see `ChatModel`."""
        self._model.check(deadline_s)

    def _draw(self, messages: Sequence[Message]) -> tuple[random.Random, tuple[ModelFault, ...]]:
        """A random generator for the next call, and the faults drawn for it."""
        distance = instruction_distance(messages) if self._profile.far_tokens else 0
        with self._lock:
            key = fault_key(self._profile.correlation, messages, self._calls)
            chance = random.Random(f'{self._profile.seed}:{key}')
            self._calls += 1
            is_spared = 0 < self._profile.most_in_a_row <= self._in_a_row
        # One random number for each fault, whatever its rate: a change of one rate does not affect the other draws.
        drawn = tuple(fault for fault in ModelFault if chance.random() < self._profile.rate(fault, distance))
        return chance, () if is_spared else drawn

    def _note(self, fault: ModelFault | None) -> None:
        with self._lock:
            self._in_a_row = 0 if fault is None else self._in_a_row + 1
            if fault is not None:
                self._injected[fault] += 1
        if fault is not None:
            _logger.info('%s: fault %s', self.spec, fault)

    def _fail(self, fault: ModelFault, options: ChatOptions, cancelled: Callable[[], bool] | None) -> None:
        if fault is ModelFault.SERVER_ERROR:
            raise ModelRetryable(f'{self.spec}: HTTP 500 (simulated)')
        if fault is ModelFault.RATE_LIMIT:
            raise ModelRetryable(f'{self.spec}: HTTP 429 (simulated)', retry_after_s=self._profile.retry_after_s)
        until_s = time.monotonic() + min(self._profile.stall_s, options.deadline_s)
        while (left_s := until_s - time.monotonic()) > 0:
            if cancelled is not None and cancelled():
                raise ModelRetryable(f'{self.spec} was cancelled')
            # This stall is the injected fault.
            time.sleep(min(_POLL_S, left_s))
        raise ModelTimeout(f'{self.spec} did not answer within {options.deadline_s:g} s (simulated)')


def make_faulty_model(text: str, model: ChatModel) -> FaultyModel:
    """Makes the model of a spec `faulty:PROFILE[#SEED]:SPEC` from `PROFILE[#SEED]` and the model of SPEC.

    Raises:
        ConfigError: there is no such profile, or the seed is not a whole number.
    """
    name, separator, seed = text.partition('#')
    file = config_dir() / 'faults.yaml'
    profiles = load_fault_profiles(file)
    if name not in profiles:
        raise ConfigError(f'there is no fault profile {name!r}; there are {", ".join(profiles)}', file=str(file))
    if separator and not seed.isdecimal():
        raise ConfigError(f'the seed in faulty:{text}:… must be a whole number, got {seed!r}')
    return FaultyModel(model, replace(profiles[name], seed=int(seed)) if separator else profiles[name])
