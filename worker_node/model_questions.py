"""Questions to the worker's model, one prompt each; a wrong answer is shown back a bounded number of times."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from lucca_core.errors import ModelRetryable
from lucca_core.protocol.usage import ModelUsage
from lucca_llm import answer_grammar
from lucca_llm.call_seeds import CallSeeds
from lucca_llm.config import RetryConfig
from lucca_llm.limits.retry import ask
from lucca_llm.limits.usage_meter import UsageMeter
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_llm.prompt_text import shown_name
from worker_node.config import WorkerConfig
from worker_node.name_lists import NoList, ReadList, read_list

_YES_OR_NO = answer_grammar.one_of(['yes', 'no'])


class NoListGiven(ModelRetryable):
    """No answer of the model was a list of the names it was shown, even after all repairs."""


class ModelQuestions:
    """Asks the model, one prompt for each question. A wrong answer is shown back to it a limited number of times."""

    def __init__(
        self,
        model: ChatModel,
        config: WorkerConfig,
        cancelled: Callable[[], bool],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        seeds: CallSeeds,
    ) -> None:
        self._meter = UsageMeter(model)
        self._config = config
        self._cancelled = cancelled
        self._clock = clock
        self._sleep = sleep
        self._seeds = seeds
        self._options = ChatOptions(
            temperature=config.temperature,
            max_tokens=config.answer_tokens,
            answer_bytes=config.answer_bytes,
            deadline_s=config.model_deadline_s,
        )
        self._retries = RetryConfig(attempts=config.model_attempts)
        self.misread: list[str] = []
        """One sentence for each mistake of the model in reading memory."""

    @property
    def usage(self) -> ModelUsage:
        return self._meter.usage

    def ask(self, prompt: Callable[[str], str], names: Sequence[str], where: str) -> ReadList:
        """The list of names that the model answers. After the last repair it may hold unknown names besides known ones.

        Raises:
            ModelError: the model gave no answer, or no list of the names that it was shown. An empty list instead would
                mean that nothing is left to do.
        """
        correction = ''
        read = ReadList((), ())
        grammar = answer_grammar.names(map(shown_name, names))
        for _ in range(1 + self._config.repairs):
            try:
                read = read_list(self._answer(prompt(correction), grammar), names)
            except NoList as error:
                correction = str(error)
                continue
            if not read.unknown:
                return read
            correction = f'not {where}: {", ".join(read.unknown)[:300]}'
        if read.names:
            return read
        raise NoListGiven(f'the worker model {self._meter.spec} gave no list of objects; its answer: {correction}')

    def ask_yes_or_no(self, prompt: Callable[[str], str]) -> bool:
        """True for yes. If the answer is neither yes nor no after the last repair, it counts as no, to be on the safe
        side.

        Raises:
            ModelError: the model gave no answer.
        """
        correction = ''
        for _ in range(1 + self._config.repairs):
            word = self._answer(prompt(correction), _YES_OR_NO).strip().rstrip('.').casefold()
            if word in ('yes', 'no'):
                return word == 'yes'
            correction = 'answer with yes or no'
        return False

    def ask_one_of(self, prompt: Callable[[str], str], answers: Sequence[str]) -> str:
        """The answer of the model, one of `answers`.

        Raises:
            ModelError: the model gave no answer, or none of these after the last repair.
        """
        correction = ''
        for _ in range(1 + self._config.repairs):
            answer = self._answer(prompt(correction), answer_grammar.one_of(answers), answers).strip()
            if answer in answers:
                return answer
            correction = f'{answer[:100]!r} is not one of: {", ".join(answers)}'
        raise NoListGiven(f'the worker model {self._meter.spec} gave none of the possible answers: {correction}')

    def _answer(self, prompt: str, grammar: str, choices: Sequence[str] = ()) -> str:
        options = replace(self._options, seed=self._seeds.next())
        if self._config.constrain:
            options = replace(options, grammar=grammar, choices=tuple(choices))
        return ask(
            self._meter,
            [Message('user', prompt)],
            options,
            config=self._retries,
            cancelled=self._cancelled,
            clock=self._clock,
            sleep=self._sleep,
        ).text
