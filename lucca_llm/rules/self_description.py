"""The rule-based model's description of itself."""

import re

WHAT_I_AM = (
    'I am the rule-based reasoner that is built into lucca. I am no language model: I understand a controlled '
    'English about '
    'objects on the table and nothing else.'
)
_WHO = re.compile(
    r'\b(?:what|who) are you\b(?! (?:doing|going|seeing|holding))|'
    r'\bare you (?:a|an|some)? ?(?:language model|llm|ai|human|robot|chatgpt|gpt|person|real)\b|\bwhich model\b|'
    r'\bare you an? (?:ai|llm)\b|\bwhat model\b',
    re.IGNORECASE,
)


def asks_what_it_is(said: str) -> bool:
    """Whether somebody asks who or what the robot is."""
    return _WHO.search(said) is not None
