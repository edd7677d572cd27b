"""A judge without a language model: a text states a fact if it names thing, attribute and value together."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lucca_lab.forgetting.scenario import Fact, Scenario, ScenarioQuestion

_CLAUSE = re.compile(r'[.;!?\n]+(?=\s|$)')


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of a system. `outdated`: it is marked as no longer true; `doubtful`: as perhaps not true."""

    text: str
    outdated: bool = False
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that a context gives to a question.

    Attributes:
        found: every fact asked for is stated by some text that is not marked as outdated.
        stale: a value that no longer holds is stated without a mark.
        values: all values of the slots asked for that are stated without a mark.
    """

    found: bool
    stale: bool
    values: frozenset[str]

    @property
    def correct(self) -> bool:
        """Whether the valid value was found and no outdated one was given."""
        return self.found and not self.stale


class AnswerJudge:
    """Finds the facts of one scenario in texts."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._subjects = tuple(sorted(scenario.subjects, key=len, reverse=True))
        self._known: dict[str, frozenset[int]] = {}
        self._by_value: dict[str, list[Fact]] = {}
        for fact in scenario.facts:
            self._by_value.setdefault(fact.value.casefold(), []).append(fact)

    def facts_in(self, text: str) -> frozenset[int]:
        """Ids of all facts that a text states.

        A clause states a fact if it has the value, a word of the attribute, and the thing. A clause that names no thing
        is about the thing that was named last before it.
        """
        if text not in self._known:
            self._known[text] = frozenset(self._read(text))
        return self._known[text]

    def given(self, texts: Iterable[str]) -> frozenset[int]:
        """Ids of all facts that at least one of the texts states."""
        return frozenset().union(*map(self.facts_in, texts))

    def answer(self, asked: ScenarioQuestion, passages: Sequence[Passage], session: int | None = None) -> Answer:
        """The answer that texts give to a question asked in a session; None stands for the end of the scenario."""
        unmarked = self.given(passage.text for passage in passages if not passage.outdated)
        stale, values = False, set()
        for slot in {fact.slot.name for fact in asked.facts}:
            for fact in self._scenario.by_slot[slot]:
                if fact.fact_id in unmarked:
                    values.add(fact.value)
                    ended = fact.last_session is not None and (session is None or fact.last_session < session)
                    stale |= ended and fact not in asked.facts
        return Answer(all(fact.fact_id in unmarked for fact in asked.facts), stale, frozenset(values))

    def _read(self, text: str) -> Iterable[int]:
        last = ''
        for clause in _CLAUSE.split(text):
            folded = clause.casefold()
            named = self._named(folded)
            # A value may be a thing of its own, about which facts exist; naming it does not change the topic then.
            for value, facts in self._by_value.items():
                if value not in folded or not _has(value, folded):
                    continue
                for fact in facts:
                    subject = fact.slot.subject.casefold()
                    others = named - {value}
                    about = subject in named or (not others and last == subject)
                    if about and any(_starts(cue, folded) for cue in fact.slot.cues):
                        yield fact.fact_id
            for subject in sorted(named, key=folded.rfind):
                last = subject

    def _named(self, folded: str) -> set[str]:
        names = (subject.casefold() for subject in self._subjects)
        return {name for name in names if name in folded and _has(name, folded)}


@lru_cache(maxsize=20_000)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf'(?<![\w-]){re.escape(name)}(?![\w-])')


def _has(name: str, folded: str) -> bool:
    return _pattern(name).search(folded) is not None


def _starts(cue: str, folded: str) -> bool:
    return re.search(rf'(?<!\w){re.escape(cue)}', folded) is not None
