"""Grammars in GBNF, llama.cpp's notation: what an answer may look like, for servers that can hold a model to it.

They follow what the prompts ask for and what the readers take. They spare repairs and widen nothing: every answer is
parsed and gated as if nothing had bound it.
"""

from collections.abc import Iterable, Mapping, Sequence

_ESCAPED = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
_WORDS_RULE = r'words ::= [^<>(),\x01-\x20\x7f-\x9f] [^<>(),\x01-\x1f\x7f-\x9f]{0,59}'
"""A few words without anything that could be read as a call, a list or a line end."""

_MOST_FREE_NAMES = 20
NOTHING = 'none'


def literal(text: str) -> str:
    """A text as a terminal."""
    return '"' + ''.join(_ESCAPED.get(char, char) for char in text) + '"'


def one_of(texts: Iterable[str]) -> str:
    """A grammar of exactly these answers.

    Raises:
        ValueError: there is none.
    """
    return f'root ::= {_choice(texts)}'


def calls(arguments: Mapping[str, Sequence[str]], in_words: Iterable[str] = ()) -> str:
    """A grammar of one call, `<name(argument)>`.

    Args:
        arguments: what each call may be given, by its name; a call that may be given nothing is left out.
        in_words: calls whose argument is free text.

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
    """A grammar of a list of these names on one line, or `none`."""
    shown = list(dict.fromkeys(known))
    if not shown:
        return one_of([NOTHING])
    more = f' (", " name){{0,{len(shown) - 1}}}' if len(shown) > 1 else ''
    return f'root ::= {literal(NOTHING)} | name{more}\nname ::= {_choice(shown)}'


def free_names(or_else: Iterable[str] = ()) -> str:
    """A grammar of a list of any names on one line, or of one of some whole answers."""
    others = ''.join(f' | {literal(text)}' for text in or_else)
    return f'root ::= words (", " words){{0,{_MOST_FREE_NAMES - 1}}}{others}\n{_WORDS_RULE}'


def _choice(texts: Iterable[str]) -> str:
    terminals = [literal(text) for text in texts]
    if not terminals:
        raise ValueError('a choice needs something to choose from')
    return ' | '.join(terminals)
