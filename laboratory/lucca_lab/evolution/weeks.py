"""Conversion of the scenarios of `lucca eval forgetting` to dialogues in which every attribute is asked for."""

from collections.abc import Iterator

from lucca_lab.evolution.dialogue import EvolutionDialogue, Probe, Said
from lucca_lab.forgetting.answering import AnswerJudge
from lucca_lab.forgetting.generator import generate_split
from lucca_lab.forgetting.scenario import Scenario


def weeks(split: str, seed: int, per_family: int) -> Iterator[EvolutionDialogue]:
    """The scenarios of a split as dialogues, family by family.

    Raises:
        ValueError: there is no such split.
    """
    for scenario in generate_split(split, seed, per_family):
        yield as_dialogue(scenario)


def as_dialogue(scenario: Scenario) -> EvolutionDialogue:
    """A scenario as a dialogue, with the rule of the scenario's judge."""
    judge = AnswerJudge(scenario)
    said = tuple(Said(told.text, told.speaker, told.time, told.source) for told in scenario.told())
    before = {asked.facts[0].slot.name: (asked.text, fact) for asked, fact in scenario.history}
    probes = []
    for name, facts in scenario.by_slot.items():
        past, older = before.get(name, ('', None))
        probes.append(
            Probe(
                question=facts[0].slot.question,
                of_the_past=past,
                valid=tuple(str(fact.fact_id) for fact in facts if fact.holds),
                before='' if older is None else str(older.fact_id),
                outdated=tuple(str(fact.fact_id) for fact in facts if not fact.holds),
            )
        )

    def facts_in(text: str) -> frozenset[str]:
        return frozenset(map(str, judge.facts_in(text)))

    return EvolutionDialogue(scenario.name, said, tuple(probes), scenario.exam[0].time, facts_in)
