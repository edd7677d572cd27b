"""Calls to the coordinator's model, with retries, deadlines and a token budget."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Flag, Tally
from coordinator_node.waits import Interrupted, Waits
from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_core.protocol.usage import ModelUsage
from lucca_llm.call_seeds import CallSeeds
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, ToolSpec


class ModelCaller:
    """Asks one model on behalf of the coordinator."""

    def __init__(self, model: ChatModel, config: CoordinatorConfig, waits: Waits) -> None:
        self._model = model
        self._config = config
        self._waits = waits
        self._seeds = CallSeeds(config.seed)
        self._options = ChatOptions(
            temperature=config.temperature,
            deadline_s=config.model_deadline_s,
            max_tokens=config.answer_tokens,
            answer_bytes=config.answer_bytes,
        )

    @property
    def model(self) -> ChatModel:
        """The model in use."""
        return self._model

    def ask(
        self,
        messages: Sequence[Message],
        tally: Tally,
        interrupted: Flag,
        grammar: str | None = None,
        *,
        choices: Sequence[str] = (),
        tools: tuple[ToolSpec, ...] = (),
        streamed: Callable[[], Callable[[str], None]] | None = None,
        max_tokens: int = 0,
        temperature: float | None = None,
    ) -> ChatReply:
        """One answer of the model. Its cost is added to `tally`.

        Args:
            messages: the chat.
            tally: the counts of the goal.
            interrupted: ends the call when raised.
            grammar: the grammar of allowed answers (GBNF); used only if `constrain` is set.
            choices: all possible answers, for models that can weigh them; used only if `constrain` is set.
            tools: tools offered natively.
            streamed: called once for each attempt; returns the function that receives the answer piece by piece.
            max_tokens: longest answer; 0 takes the value of the settings.
            temperature: sampling temperature; None takes that of the settings.

        Raises:
            Interrupted: the flag was raised, before or during the call.
            ModelRetryable: every attempt that the settings allow failed.
            ModelUnusable: retrying cannot help, or the token budget of the goal is used up.
        """
        options = replace(self._options, tools=tools, max_tokens=max_tokens or self._options.max_tokens)
        if temperature is not None:
            options = replace(options, temperature=temperature)
        if self._config.constrain:
            options = replace(options, grammar=grammar, choices=tuple(choices))
        for attempt in range(self._config.model_retries + 1):
            if interrupted():
                raise Interrupted
            self._check_budget(tally)
            began_s = self._waits.clock()
            try:
                reply = self._model.chat(
                    messages,
                    replace(options, seed=self._seeds.next()),
                    on_text=streamed() if streamed else None,
                    cancelled=interrupted,
                )
            except ModelRetryable as error:
                waited_s = max(0.0, self._waits.clock() - began_s)
                tally.coordinator += ModelUsage(model=self._model.spec, calls=1, model_s=waited_s)
                if interrupted():
                    raise Interrupted from error
                if attempt == self._config.model_retries or tally.model_retries >= self._config.goal_model_retries:
                    raise
                tally.model_retries += 1
                self._waits.pause(self._pause_s(attempt, error), interrupted)
            else:
                tally.coordinator += self._usage_of(reply)
                return reply
        raise AssertionError('the loop returns or raises')

    def _check_budget(self, tally: Tally) -> None:
        used = tally.coordinator.prompt_tokens + tally.coordinator.completion_tokens
        if used >= self._config.max_goal_tokens:
            raise ModelUnusable(
                f'this goal has used {used} tokens; max_goal_tokens allows {self._config.max_goal_tokens}'
            )

    def _usage_of(self, reply: ChatReply) -> ModelUsage:
        return ModelUsage(
            model=self._model.spec,
            calls=1,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            model_s=reply.model_s,
        )

    def _pause_s(self, attempt: int, error: ModelRetryable) -> float:
        wish_s = error.retry_after_s if error.retry_after_s is not None else self._config.retry_pause_s * 2**attempt
        return min(max(wish_s, 0.0), self._config.retry_pause_max_s)
