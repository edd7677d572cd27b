"""Markers of answers from general knowledge, in the model's words and in memory."""

from lucca_llm.rules.answers.open_talk import GENERAL_KNOWLEDGE

_KEPT = '(general knowledge) '


def as_kept(answer: str) -> str:
    """An answer as memory keeps it. General knowledge is marked, so that it is not taken for something said."""
    return (
        f'{_KEPT}{answer}' if GENERAL_KNOWLEDGE.lower() in answer.lower() and not answer.startswith(_KEPT) else answer
    )
