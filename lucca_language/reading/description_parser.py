"""A parser of task descriptions in controlled English. It accepts any text and leaves out what it cannot read."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lucca_language.reading.clause_parser import ClauseParser
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive, Program
from lucca_language.reading.selectors import Noun, Rest, Selector, both
from lucca_language.words.lexicon import lexicon
from lucca_language.words.sentences import sentences
from lucca_language.words.word_sets import any_of

_AS_NAMED = re.compile(
    r'\bin (?:exactly )?(?:this|that|the|the following|the given) (?:order|sequence)\b(?! of\b)|\bin turn\b|'
    r'(?:^|\n)\s*\d+[.)]\s',
    re.IGNORECASE,
)
_IN_TURN = re.compile(
    r'\b(?:before|after\w*|until|once|when|while|then|first|last|final\w*|next(?! to)|prior|later|earlier)\b',
    re.IGNORECASE,
)
_BESIDE_A_QUALITY = any_of('the all any every and or one ones')


@functools.lru_cache(maxsize=256)
def parse(text: str, background: str = '') -> Program:
    """The program that a description means. `background`: facts in the prompt, which only define words."""
    parser = ClauseParser(lexicon())
    parser.meanings.update(_definitions_in(background))
    described = sentences(text)[:100]
    for parser.number, words in enumerate(described):
        parser.sentence(words)
    program = parser.program()
    if not any(directive.kind in ('do', 'only') for directive in program.directives):
        # The text may be a bare list such as `the cup, then the banana`; then the task is about these objects.
        fragments = ClauseParser(lexicon(), fragments=True)
        for fragments.number, words in enumerate(described):
            fragments.sentence(words)
        found = fragments.program()
        if any(directive.kind == 'do' for directive in found.directives):
            program = replace(program, directives=(*program.directives, *found.directives))
    as_named = _AS_NAMED.search(text) is not None
    in_turn = _IN_TURN.search(text) is not None
    directives = tuple(_of_the_kind_before(_of_the_group_before(program.directives)))
    return replace(program, directives=directives, as_named=as_named, in_turn=in_turn)


def _of_the_group_before(directives: Sequence[Directive]) -> Iterator[Directive]:
    """`Put the cubes in boxes: red in box 1, blue in box 2`: both the red and the blue ones are cubes."""
    group: Noun | None = None
    for directive in directives:
        general = directive.target is None or lexicon().is_plural(directive.target.words[-1])
        if group is not None and not general and all(map(_is_bare_quality, directive.items)):
            items = (replace(item, selector=both(group, item.selector), head=group) for item in directive.items)
            yield replace(directive, items=tuple(items))
            continue
        heads = [item.head for item in directive.items if isinstance(item.head, Noun) and item.count is None]
        group = heads[0] if general and len(directive.items) == len(heads) == 1 else None
        yield directive


def _of_the_kind_before(directives: Iterable[Directive]) -> Iterator[Directive]:
    """`Half of the cubes in box 1 and the rest in box 2`: the rest of the cubes."""
    kind: Noun | None = None
    for directive in directives:
        items: list[NounPhrase] = []
        for item in directive.items:
            is_part = item.half or item.left_out or (item.count is not None and ' of the ' in item.text)
            kind = item.head if is_part and isinstance(item.head, Noun) else kind
            of_kind = kind is not None and isinstance(item.selector, Rest)
            items.append(replace(item, selector=both(kind, item.selector), head=kind) if of_kind and kind else item)
        yield replace(directive, items=tuple(items))


def _is_bare_quality(item: NounPhrase) -> bool:
    """Whether an item has only colours, as in `red and blue` or `the red ones`."""
    words = item.text.replace(',', ' ').split()
    return bool(words) and all(lexicon().colour(word) or word in _BESIDE_A_QUALITY for word in words)


@functools.lru_cache(maxsize=64)
def _definitions_in(background: str) -> Mapping[str, Selector]:
    found: dict[str, Selector] = {}
    for words in sentences(background)[:200]:
        found.update(_definitions(tuple(words)))
    return found


@functools.lru_cache(maxsize=4096)
def _definitions(sentence: tuple[str, ...]) -> Mapping[str, Selector]:
    """The words that a sentence defines. Cached, as the prompts of a task repeat its background at every step."""
    parser = ClauseParser(lexicon())
    parser.sentence(list(sentence))
    if parser.directives:
        return {}
    return {word: meaning for word, meaning in parser.meanings.items() if not lexicon().knows(word)}
