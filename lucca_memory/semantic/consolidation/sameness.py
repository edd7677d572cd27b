"""Whether two statements say the same, so that one text may stand for both.

The other text is gone for good, so in doubt they are two facts, which costs only bytes: "at 7 am" and "at 7 pm", "from
Bonn to Ulm" and "from Ulm to Bonn", "the dog bit Paula" and "Paula bit the dog" share their words.
"""

from lucca_memory.semantic.consolidation.clause_forms import cases_of, forms_of


def is_one_fact(text: str, other: str) -> bool:
    """True if two texts of one speaker say the same in wordings that are known to be equal."""
    if text == other:
        return True
    return bool(forms_of(text) & forms_of(other)) and _cases_agree(text, other)


def _cases_agree(text: str, other: str) -> bool:
    """False for "a Polish knife" and "a polish knife"."""
    one, two = cases_of(text), cases_of(other)
    common = {lower for lower, _ in one} & {lower for lower, _ in two}
    return {pair for pair in one if pair[0] in common} == {pair for pair in two if pair[0] in common}
