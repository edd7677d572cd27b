"""Rules that rewrite a text by patterns. A pattern is tried only where the text has what each of its matches has."""

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Said = str | Callable[[re.Match[str]], str]
"""What takes the place of a match, as `re.sub` takes it."""

# Private, as Python has no public parser of its patterns; it is the one that `re.compile` uses.
_parser: Any = importlib.import_module('re._parser')


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A pattern, and what takes the place of its matches.

    Attributes:
        pattern: the pattern.
        said: what takes the place.
        needs: texts in lower case, of which each match in an ASCII text has at least one; if empty, none is known.
    """

    pattern: re.Pattern[str]
    said: Said
    needs: tuple[str, ...]


def rewrites(rules: Iterable[tuple[str, Said]], flags: re.RegexFlag = re.NOFLAG) -> tuple[Rewrite, ...]:
    """The rules of patterns and what takes the place of their matches, to be applied in this order."""
    return tuple(
        Rewrite(re.compile(pattern, flags), said, needed(_parser.parse(pattern, flags))) for pattern, said in rules
    )


def rewritten(text: str, rules: Iterable[Rewrite]) -> str:
    """The text after all rules: the same as `re.sub` of one after the other, most of which have nothing to do."""
    lowered = text.lower() if text.isascii() else None
    for rule in rules:
        if lowered is not None and rule.needs:
            for need in rule.needs:
                if need in lowered:
                    break
            else:
                continue
        after = rule.pattern.sub(rule.said, text)
        if after != text:
            text = after
            lowered = text.lower() if text.isascii() else None
    return text


def needed(parts: Any) -> tuple[str, ...]:
    """Texts in lower case of which whatever a parsed pattern matches has at least one; none if that is not known.

    Of several such groups of texts, those whose shortest is longest are chosen, as few texts have them.
    """
    groups: list[tuple[str, ...]] = []
    run = ''
    for name, value in ((str(operation), value) for operation, value in parts):
        if name == 'LITERAL':
            run += chr(value).lower()
            continue
        # Only what has no width leaves the texts around it side by side.
        if name not in ('AT', 'ASSERT', 'ASSERT_NOT'):
            groups, run = [*groups, (run,)], ''
        groups.append(_needed_by(name, value))
    return max((group for group in (*groups, (run,)) if all(group)), key=_worth, default=())


def _needed_by(name: str, value: Any) -> tuple[str, ...]:
    match name:
        case 'SUBPATTERN':
            return needed(value[3])
        case 'ATOMIC_GROUP':
            return needed(value)
        case 'ASSERT':
            return needed(value[1])
        case 'MAX_REPEAT' | 'MIN_REPEAT' | 'POSSESSIVE_REPEAT':
            return needed(value[2]) if value[0] > 0 else ()
        case 'BRANCH':
            branches = [needed(branch) for branch in value[1]]
            return tuple(dict.fromkeys(text for branch in branches for text in branch)) if all(branches) else ()
    return ()


def _worth(group: tuple[str, ...]) -> tuple[int, int]:
    return min(map(len, group), default=0), -len(group)
