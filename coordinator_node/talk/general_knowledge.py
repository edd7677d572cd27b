"""Answers from general knowledge: how a model marks them, and how they are kept."""

MARK = 'As far as I know'
"""How the prompt asks a model to begin an answer that rests on nothing it was shown."""

_KEPT = '(general knowledge) '


def as_kept(answer: str) -> str:
    """An answer as memory keeps it: marked where it comes from general knowledge, so that nothing takes it for told."""
    return f'{_KEPT}{answer}' if MARK.lower() in answer.lower() and not answer.startswith(_KEPT) else answer
