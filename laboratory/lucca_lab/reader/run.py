"""The experiment of `lucca eval answers`: a language model answers from the context of each memory.

The contexts of all systems come from one replay of the dialogues. Every answer is written to a file at once, so that an
interrupted run continues where it stopped.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.dialogues.run import SHIPPED, evaluate
from lucca_lab.dialogues.scoring import bootstrapped
from lucca_lab.locomo.baselines import as_document
from lucca_lab.locomo.data import LocomoDialogue, LocomoQuestion, SaidLine
from lucca_llm.model import ChatModel, ChatOptions, Message
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.retrieval.analysis import STOP_WORDS, estimated_tokens, stem_of, words_of

NEWEST, NOTHING = 'newest', 'nothing'
SYSTEMS = (SHIPPED, 'dense', 'bm25', NEWEST, NOTHING)
"""Our memory, retrieval by vectors (RAG), retrieval by words, the newest lines that fit, and no context at all."""
RIGHT = 0.5
"""The least F1 of an answer's words against the expected answer with which it is right."""

_TASK = 'Answer the question in a few words, from these notes of a conversation only.'
_OPTIONS = ChatOptions(temperature=0.0, seed=0, max_tokens=32, deadline_s=600.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the lines that each system retrieves, best first."""

    sample_id: str
    question: LocomoQuestion
    lines: Mapping[str, Sequence[SaidLine]]


def asked_of(dialogues: Sequence[LocomoDialogue], embedder: Embedder, count: int, seed: int) -> list[Asked]:
    """Draws questions that have an answer. The same seed gives the same questions.

    Raises:
        ConfigError: no question has an answer.
        LuccaError: the embedder failed.
    """
    said = {dialogue.sample_id: {line.dia_id: line for line in dialogue.lines} for dialogue in dialogues}
    ranked = evaluate(dialogues, embedder).ranked
    places = [place for place, item in enumerate(ranked[SHIPPED]) if item.asked.answer]
    if not places:
        raise ConfigError('no question of these dialogues has an answer')
    drawn = sorted(random.Random(seed).sample(places, min(count, len(places))))
    found = []
    for place in drawn:
        item = ranked[SHIPPED][place]
        lines = said[item.sample_id]
        known = [line for line in lines.values() if not item.asked.before or line.session < item.asked.before]
        found.append(
            Asked(
                item.sample_id,
                item.asked,
                {
                    **{name: [lines[dia_id] for dia_id in items[place].dia_ids] for name, items in ranked.items()},
                    NEWEST: known[::-1],
                    NOTHING: [],
                },
            )
        )
    return found


def context_of(lines: Sequence[SaidLine], budget_tokens: int) -> str:
    """The best lines that fit into a budget of estimated tokens, in the order in which they were said."""
    kept: list[SaidLine] = []
    left = budget_tokens
    for line in lines:
        size = estimated_tokens(as_document(line))
        if size <= left:
            left -= size
            kept.append(line)
    return '\n'.join(as_document(line) for line in sorted(kept, key=lambda line: line.time))


def is_right(answer: str, expected: str, question: str = '') -> bool:
    """Whether the F1 of two answers' words (as stems, without function words) is at least `RIGHT`.

    Words of the question do not count: an answer in a whole sentence repeats them. They do count if the expected answer
    has no others, as in a question with "or".
    """
    mine, its, asked = _stems(answer), _stems(expected), _stems(question)
    if its - asked:
        mine, its = mine - asked, its - asked
    return bool(its) and 2 * len(mine & its) / (len(mine) + len(its)) >= RIGHT


def read(
    asked: Sequence[Asked],
    budgets: Sequence[int],
    model: ChatModel,
    file: Path,
    *,
    on_progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Asks the model for all answers that are not in the file yet, and returns the figures of all questions.

    Args:
        asked: the questions.
        budgets: sizes of a context in estimated tokens.
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
        for name in SYSTEMS:
            for budget in budgets:
                key = _key(item, name, budget)
                if key in answers:
                    continue
                prompt = f'{_TASK}\n\nNotes:\n{context_of(item.lines[name], budget)}\n\nQuestion: {item.question.text}'
                reply = model.chat([Message('user', prompt)], _OPTIONS)
                answers[key] = {
                    'key': key,
                    'model': model.spec,
                    'answer': reply.text,
                    'right': is_right(reply.text, item.question.answer, item.question.text),
                    'model_s': reply.model_s,
                    'prompt_tokens': reply.prompt_tokens,
                }
                with file.open('a', encoding='utf-8') as stream:
                    stream.write(json.dumps(answers[key], ensure_ascii=False) + '\n')
    rows = {
        str(budget): {name: _figures([answers[_key(item, name, budget)] for item in asked]) for name in SYSTEMS}
        for budget in budgets
    }
    keys = {_key(item, name, budget) for item in asked for name in SYSTEMS for budget in budgets}
    used = [answers[key] for key in keys]
    return {
        'model': model.spec,
        'questions': len(asked),
        'calls': len(used),
        'model_s': round(sum(answer['model_s'] for answer in used), 1),
        'budgets': rows,
    }


def _figures(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    figures = bootstrapped('right', [float(answer['right']) for answer in answers])
    return {**figures, 'prompt_tokens': sum(answer['prompt_tokens'] for answer in answers)}


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


def _key(item: Asked, name: str, budget: int) -> str:
    # The empty context does not depend on the budget, so it is asked only once.
    size = 0 if name == NOTHING else budget
    return json.dumps([item.sample_id, item.question.text, sorted(item.question.evidence), name, size])


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(text) if word not in STOP_WORDS}
