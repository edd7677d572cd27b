"""Markers of answers from general knowledge, in the model's words and in memory."""

MARK = 'As far as I know'
"""How the model is asked to begin an answer that rests on nothing in its prompt."""

_KEPT = '(general knowledge) '


def as_kept(answer: str) -> str:
    """An answer as memory keeps it. General knowledge is marked, so that it is not taken for something said."""
    return f'{_KEPT}{answer}' if MARK.lower() in answer.lower() and not answer.startswith(_KEPT) else answer
