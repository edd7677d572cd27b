"""The experiment of `lucca eval answers`: a language model answers from the context of each memory.

Every answer is written to a file at once, so that an interrupted run continues where it stopped.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.dialogues.run import SHIPPED
from lucca_lab.dialogues.scoring import bootstrapped
from lucca_lab.reader.contexts import Asked, Handed
from lucca_lab.recorded_calls import request_line
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_memory.retrieval.analysis import STOP_WORDS, stem_of, words_of

RIGHT = 0.5
"""The least F1 of an answer's words against the expected answer (`agreement`) with which it is right."""

_TASK = 'Answer the question in a few words, from these notes of a conversation only.'
_OPTIONS = ChatOptions(temperature=0.0, seed=0, max_tokens=32, deadline_s=600.0)


def agreement(answer: str, expected: str, question: str = '') -> float:
    """The F1 of two answers' words, as stems and without function words.

    Words of the question do not count: an answer in a whole sentence repeats them. They do count if the expected answer
    has no others, as in a question with "or".
    """
    mine, its, asked = _stems(answer), _stems(expected), _stems(question)
    if its - asked:
        mine, its = mine - asked, its - asked
    return 2 * len(mine & its) / (len(mine) + len(its)) if its else 0.0


def read(
    asked: Sequence[Asked],
    model: ChatModel,
    file: Path,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Asks the model for all answers that are not in the file yet, and returns the figures of all questions.

    Systems that hand over the same context for a question share one answer.

    Args:
        asked: the questions with their contexts; at least one.
        model: the reader.
        file: a file of JSON lines, one for each answer.
        on_progress: called with a message for each question.

    Raises:
        ConfigError: the file does not hold answers of this model.
        ModelError: the model gave no answer. Earlier answers are in the file.
    """
    answers = _known(file, model.spec)
    for number, item in enumerate(asked, 1):
        on_progress(f'{number} of {len(asked)}: {item.question.text}')
        for budget, systems in item.handed.items():
            for name, handed in systems.items():
                key = _key(item, handed)
                if key in answers:
                    continue
                reply = model.chat(_messages(item, handed), _OPTIONS)
                answers[key] = {
                    'key': key,
                    'model': model.spec,
                    'system': name,
                    'budget': budget,
                    'answer': reply.text,
                    'expected': item.question.answer,
                    'model_s': reply.model_s,
                    'prompt_tokens': reply.prompt_tokens,
                }
                with file.open('a', encoding='utf-8') as stream:
                    stream.write(json.dumps(answers[key], ensure_ascii=False) + '\n')
    used = {key: answers[key] for item in asked for row in item.handed.values() for key in _keys(item, row)}
    return {
        'model': model.spec,
        'questions': len(asked),
        'calls': len(used),
        'model_s': round(sum(answer['model_s'] for answer in used.values()), 1),
        'budgets': {budget: _rows(asked, budget, answers) for budget in asked[0].handed},
    }


def write_requests(asked: Sequence[Asked], file: Path) -> int:
    """Writes what `read` would ask, one request a line, for a model that runs on another machine.

    With an answer in each line (`laboratory/scripts/answer_requests.py`) the file is a recording, which `read` can use
    as a model (`replay:FILE`).

    Args:
        asked: the questions with their contexts.
        file: the file to write; an existing one is replaced.

    Returns:
        The number of requests: one for each different context of a question.
    """
    contexts = {
        _key(item, handed): _messages(item, handed)
        for item in asked
        for systems in item.handed.values()
        for handed in systems.values()
    }
    lines = [json.dumps(request_line(messages, _OPTIONS), ensure_ascii=False) for messages in contexts.values()]
    file.write_text(''.join(f'{line}\n' for line in lines), encoding='utf-8')
    return len(lines)


def _messages(item: Asked, handed: Handed) -> Sequence[Message]:
    return [Message('user', f'{_TASK}\n\nNotes:\n{handed.text}\n\nQuestion: {item.question.text}')]


def _rows(asked: Sequence[Asked], budget: str, answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    rows = {name: _Row.of(asked, budget, name, answers) for name in asked[0].handed[budget]}
    ours = rows[SHIPPED].right
    return {
        name: row.figures() | bootstrapped('below_lucca', [a - b for a, b in zip(ours, row.right, strict=True)])
        for name, row in rows.items()
    }


@dataclass(frozen=True, slots=True)
class _Row:
    """One system at one budget: for each question the F1 of its answer, whether it is right, whether the evidence was
    handed over, and the tokens of the prompt."""

    f1: Sequence[float]
    right: Sequence[float]
    handed: Sequence[float]
    prompt_tokens: int

    @classmethod
    def of(cls, asked: Sequence[Asked], budget: str, name: str, answers: Mapping[str, Mapping[str, Any]]) -> '_Row':
        """The row of a system."""
        handed = [item.handed[budget][name] for item in asked]
        given = [answers[_key(item, context)] for item, context in zip(asked, handed, strict=True)]
        f1 = [
            agreement(answer['answer'], item.question.answer, item.question.text)
            for item, answer in zip(asked, given, strict=True)
        ]
        return cls(
            f1,
            [float(value >= RIGHT) for value in f1],
            [float(context.has_evidence) for context in handed],
            sum(answer['prompt_tokens'] for answer in given),
        )

    def figures(self) -> dict[str, Any]:
        """The means with their 95 % intervals over questions."""
        return {
            **bootstrapped('right', self.right),
            **bootstrapped('f1', self.f1),
            **bootstrapped('evidence', self.handed),
            'prompt_tokens': self.prompt_tokens,
        }


def _known(file: Path, spec: str) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    try:
        # A line that was cut off by a kill has no line break; its question is asked again.
        whole = file.read_text(encoding='utf-8').rpartition('\n')[0]
        rows = [json.loads(line) for line in whole.splitlines()]
        found = {str(row['key']): row for row in rows if row['model'] == spec}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'this is not a file of answers: {error!r}', file=str(file)) from error
    if len(found) < len({row['key'] for row in rows}):
        raise ConfigError(f'this file holds answers of another model than {spec}', file=str(file))
    file.write_text(f'{whole}\n' if whole else '', encoding='utf-8')
    return found


def _keys(item: Asked, systems: Mapping[str, Handed]) -> list[str]:
    return [_key(item, handed) for handed in systems.values()]


def _key(item: Asked, handed: Handed) -> str:
    digest = hashlib.sha256(handed.text.encode()).hexdigest()[:16]
    return json.dumps([item.sample_id, item.question.text, sorted(item.question.evidence), digest])


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(text) if word not in STOP_WORDS}
