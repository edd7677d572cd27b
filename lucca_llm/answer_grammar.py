"""Grammars in GBNF, llama.cpp's notation, with which a server can restrict a model to the allowed answers.

They match what the prompts ask for and what the parsers accept. They only save repairs: every answer is still parsed
and gated as if it had been unconstrained.
"""

from collections.abc import Iterable, Mapping, Sequence

_ESCAPED = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
_WORDS_RULE = (
    r'words ::= [^<>(),\x01-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000] '
    r'[^<>(),\x01-\x1f\x7f-\x9f]{0,59}'
)
"""Up to 61 characters of free text, without characters that form calls, lists or line ends. It begins with no space."""

_MOST_FREE_NAMES = 20
NOTHING = 'none'


def literal(text: str) -> str:
    """A text as a terminal of a grammar."""
    return '"' + ''.join(_ESCAPED.get(char, char) for char in text) + '"'


def one_of(texts: Iterable[str]) -> str:
    """A grammar of exactly these answers.

    Raises:
        ValueError: there are none.
    """
    return f'root ::= {_choice(texts)}'


def calls(arguments: Mapping[str, Sequence[str]], in_words: Iterable[str] = ()) -> str:
    """A grammar of one call, `<name(argument)>`.

    Args:
        arguments: the allowed arguments of each call, by name. A call without any is left out.
        in_words: names of calls whose argument is free text.

    Raises:
        ValueError: no call is left.
    """
    rules, kinds = [], dict[tuple[str, ...], str]()
    forms = []
    for name, allowed in arguments.items():
        if not allowed:
            continue
        kind = kinds.setdefault(tuple(allowed), f'argument-{len(kinds)}')
        forms.append(f'{literal(f"<{name}(")} {kind} {literal(")>")}')
    rules += [f'{kind} ::= {_choice(allowed)}' for allowed, kind in kinds.items()]
    for name in in_words:
        forms.append(f'{literal(f"<{name}(")} words {literal(")>")}')
    if not forms:
        raise ValueError('a grammar of calls needs a call')
    return '\n'.join([f'root ::= {" | ".join(forms)}', *rules, _WORDS_RULE])


def names(known: Iterable[str]) -> str:
    """A grammar of a one-line list of these names, or `none`."""
    shown = list(dict.fromkeys(known))
    if not shown:
        return one_of([NOTHING])
    more = f' (", " name){{0,{len(shown) - 1}}}' if len(shown) > 1 else ''
    return f'root ::= {literal(NOTHING)} | name{more}\nname ::= {_choice(shown)}'


def free_names(or_else: Iterable[str] = ()) -> str:
    """A grammar of a one-line list of any names, or one of the given answers."""
    others = ''.join(f' | {literal(text)}' for text in or_else)
    return f'root ::= words (", " words){{0,{_MOST_FREE_NAMES - 1}}}{others}\n{_WORDS_RULE}'


def left_out(sentences: Iterable[tuple[Sequence[tuple[str, bool]], bool]]) -> str:
    """A grammar of a list of sentences, one a line, in fewer words.

    Args:
        sentences: for each its words in order, with True for those that must stay; and whether it may be left out.
    """
    rules, lines = ['root ::='], list[str]()
    for number, (words, may_go) in enumerate(sentences):
        rules[0] += f' line-{number}{"?" if may_go else ""}'
        terms = ' '.join(literal(f' {word}') + ('' if stays else '?') for word, stays in words)
        lines.append(f'line-{number} ::= "-" {terms} "\\n"')
    return '\n'.join([*rules, *lines])


def _choice(texts: Iterable[str]) -> str:
    terminals = [literal(text) for text in texts]
    if not terminals:
        raise ValueError('a choice needs something to choose from')
    return ' | '.join(terminals)
