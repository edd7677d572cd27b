"""Singulars of nouns and base forms of verbs, by rule and by lists of exceptions."""

import re
from collections.abc import Callable, Mapping

_SPELLED = re.compile('[^aeiouy]+')
"""Abbreviations, which are spoken letter by letter: two `cds`."""
_COLOR = re.compile(r'\bcolor')

NUMBER_WORDS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
    )
}

ORDINAL_WORDS: dict[str, int] = {'first': 1, 'second': 2, 'third': 3, 'fourth': 4, 'fifth': 5}

IRREGULAR_VERBS: dict[str, str] = {
    'put': 'put', 'putting': 'put', 'gave': 'give', 'given': 'give', 'giving': 'give', 'set': 'set', 'setting': 'set',
    'laid': 'lay', 'lain': 'lie', 'lying': 'lie', 'went': 'go', 'gone': 'go', 'going': 'go', 'goes': 'go',
    'brought': 'bring', 'left': 'leave', 'leaving': 'leave', 'kept': 'keep', 'built': 'build', 'shown': 'show',
    'took': 'take', 'taken': 'take', 'taking': 'take', 'made': 'make', 'making': 'make', 'threw': 'throw',
    'thrown': 'throw', 'held': 'hold', 'sent': 'send', 'got': 'get', 'gotten': 'get', 'getting': 'get',
    'began': 'begin', 'begun': 'begin', 'beginning': 'begin', 'stuck': 'stick', 'slid': 'slide', 'hid': 'hide',
    'hidden': 'hide', 'cut': 'cut', 'dropped': 'drop', 'dropping': 'drop', 'done': 'do', 'did': 'do', 'does': 'do',
    'came': 'come', 'coming': 'come', 'ate': 'eat', 'eaten': 'eat', 'drunk': 'drink', 'flew': 'fly', 'flown': 'fly',
    'belongs': 'belong', 'placing': 'place', 'placed': 'place', 'passes': 'pass', 'dumped': 'dump', 'used': 'use',
    'using': 'use', 'need': 'need', 'lay': 'lay', 'chose': 'choose', 'chosen': 'choose', 'were': 'be', 'was': 'be',
    'is': 'be', 'are': 'be', 'been': 'be', 'being': 'be', 'am': 'be', 'has': 'have', 'had': 'have', 'handed': 'hand',
    'stood': 'stand', 'shipped': 'ship', 'popped': 'pop', 'popping': 'pop', 'tied': 'tie', 'found': 'find',
}  # fmt: skip


def noun_candidates(word: str, irregular: Mapping[str, str]) -> list[str]:
    """Possible singulars of a noun, most likely first; `word` itself comes last."""
    candidates: list[str] = []
    head, _, last = word.rpartition(' ')
    prefix = f'{head} ' if head else ''
    if word in irregular:
        candidates.append(irregular[word])
    if last in irregular:
        candidates.append(prefix + irregular[last])
    elif last.endswith('ies') and len(last) > 4:
        candidates += [f'{prefix}{last[:-3]}y', f'{prefix}{last[:-1]}']
    elif last.endswith(('ches', 'shes', 'sses', 'xes', 'zes', 'oes')):
        candidates += [f'{prefix}{last[:-2]}', f'{prefix}{last[:-1]}']
    elif last.endswith('s') and not last.endswith(('ss', 'us', 'is')) and (len(last) > 3 or _SPELLED.fullmatch(last)):
        candidates.append(f'{prefix}{last[:-1]}')
        if last.endswith('es'):
            candidates.append(f'{prefix}{last[:-2]}')
    elif last.endswith(('is', 'us')):
        candidates += [word, f'{prefix}{last[:-1]}']  # `chilis`, but not `tennis`
    if ' of ' in word:
        before, _, after = word.partition(' of ')
        candidates += [f'{noun}{" of "}{after}' for noun in noun_candidates(before, irregular)[:-1]]
    # Of the word `s`, nothing would be left.
    return [*(candidate for candidate in candidates if candidate[-1:].strip()), word]


def singular(word: str, irregular: Mapping[str, str], known: Callable[[str], bool]) -> str:
    """The singular of a noun. A known word is returned unchanged, and so is a lone `s`."""
    if known(word) and word not in irregular:
        return word
    candidates = noun_candidates(word, irregular)
    return next((candidate for candidate in candidates if known(candidate)), candidates[0] or word)


def verb_lemmas(word: str) -> tuple[str, ...]:
    """Possible base forms of a verb form, most likely first; always holds `word`."""
    forms: list[str] = []
    if word in IRREGULAR_VERBS:
        forms.append(IRREGULAR_VERBS[word])
    if word.endswith('ies'):
        forms.append(f'{word[:-3]}y')
    elif word.endswith(('ches', 'shes', 'sses', 'xes', 'zes')):
        forms.append(word[:-2])
    elif word.endswith('s') and not word.endswith('ss'):
        forms.append(word[:-1])
    elif word.endswith('ied'):
        forms.append(f'{word[:-3]}y')
    elif word.endswith('ed'):
        forms += _stems(word[:-2])
    elif word.endswith('ing') and len(word) > 4:
        forms += _stems(word[:-3])
    forms.append(word)
    return tuple(dict.fromkeys(filter(None, forms)))  # of `s` alone, nothing is left


def _stems(stem: str) -> list[str]:
    forms = [stem, f'{stem}e']
    if len(stem) > 2 and stem[-1] == stem[-2]:
        forms.append(stem[:-1])
    return forms


def one_spelling(name: str) -> str:
    """A name in lower case and in the reader's spelling: `color` becomes `colour`."""
    return _COLOR.sub('colour', name)
