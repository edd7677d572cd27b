"""Parser of task descriptions in controlled English. It raises on no text; it leaves out what it cannot read."""

import functools
from dataclasses import replace

from lucca_language.reading.clause_parser import ClauseParser
from lucca_language.reading.program import Program
from lucca_language.words.lexicon import lexicon
from lucca_language.words.sentences import sentences


@functools.lru_cache(maxsize=256)
def parse(text: str, background: str = '') -> Program:
    """The program that a description means. `background`, facts in the prompt, adds only definitions of words."""
    parser = ClauseParser(lexicon())
    for words in sentences(background)[:200]:
        parser.definition_only(words)
    described = sentences(text)[:100]
    for words in described:
        parser.sentence(words)
    program = parser.program()
    if not any(directive.kind in ('do', 'only') for directive in program.directives):
        # The text may be a bare list such as `the cup, then the banana`: then it is about these objects.
        fragments = ClauseParser(lexicon(), fragments=True)
        for words in described:
            fragments.sentence(words)
        found = fragments.program()
        if any(directive.kind == 'do' for directive in found.directives):
            program = replace(program, directives=(*program.directives, *found.directives))
    return program
