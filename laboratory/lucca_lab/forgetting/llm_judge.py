"""A language model as judge: does the recalled context lead to the right answer and to no other?"""

import re

from lucca_lab.forgetting.answering import Passage
from lucca_lab.forgetting.run import AnswerOutcome
from lucca_lab.forgetting.scenario import ScenarioQuestion
from lucca_llm.model import ChatModel, ChatOptions, Message

INSTRUCTIONS = (
    'You judge a memory. You are shown what it recalled, a question, and the right answer. Say yes if somebody who '
    'knows '
    'only what was recalled would give the right answer and no other; otherwise say no. Lines that are marked as no '
    'longer '
    'true do not count. Answer with one word: yes or no.'
)
_WORD = re.compile(r'[a-z]+')


def judged_share(model: ChatModel, outcome: AnswerOutcome) -> float:
    """The share of the exam's questions that are answered according to the model.

    Raises:
        ModelError: the model gave no answer.
    """
    said = [is_answered(model, asked, passages) for asked, passages in outcome.contexts]
    return sum(said) / max(1, len(said))


def is_answered(model: ChatModel, asked: ScenarioQuestion, passages: tuple[Passage, ...]) -> bool:
    """The model's verdict on one question. Everything but a yes counts as no.

    Raises:
        ModelError: the model gave no answer.
    """
    recalled = '\n'.join(f'{"(no longer true) " if passage.outdated else ""}{passage.text}' for passage in passages)
    right = ' and '.join(fact.value for fact in asked.facts)
    prompt = f'Recalled:\n{recalled or "(nothing)"}\n\nQuestion: {asked.text}\nRight answer: {right}'
    reply = model.chat([Message('system', INSTRUCTIONS), Message('user', prompt)], ChatOptions(temperature=0.0))
    return _WORD.findall(reply.text.lower())[:1] == ['yes']
