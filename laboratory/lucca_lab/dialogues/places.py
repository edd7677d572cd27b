"""What takes the places of the evidence: the lines among the first ten of questions whose evidence is not all there."""

from collections.abc import Mapping, Sequence

from lucca_lab.locomo.data import LocomoDialogue
from lucca_lab.locomo.scoring import Ranked

FIRST = 10


def places_taken(ranked: Sequence[Ranked], dialogues: Mapping[str, LocomoDialogue]) -> dict[str, int]:
    """Counts of lines; one line may be counted under several names.

    Args:
        ranked: the rankings of some questions.
        dialogues: the dialogues by `sample_id`.

    Returns:
        `questions` of which some evidence is missing among the first ten lines; `missed` lines of evidence, of which
        `missed_openings` begin a session and `missed_of_the_assistant` were said by an assistant; `taken`: lines there
        that are no evidence, of which `taken_by_the_same_session` stand beside missed evidence, `taken_by_newer` are
        from sessions after all evidence, `taken_by_openings` and `taken_by_the_assistant` as above, and
        `taken_by_outdated` no longer hold.
    """
    counts = dict.fromkeys(_NAMES, 0)
    for item in ranked:
        missed = item.asked.evidence - frozenset(item.dia_ids[:FIRST])
        if missed:
            counts['questions'] += 1
            _count(counts, item, missed, dialogues[item.sample_id])
    return counts


_NAMES = (
    'questions',
    'missed',
    'missed_openings',
    'missed_of_the_assistant',
    'taken',
    'taken_by_the_same_session',
    'taken_by_newer',
    'taken_by_openings',
    'taken_by_the_assistant',
    'taken_by_outdated',
)


def _count(counts: dict[str, int], item: Ranked, missed: frozenset[str], dialogue: LocomoDialogue) -> None:
    said = {line.dia_id: line for line in dialogue.lines}
    # The first line of each session; later ones with its number do not replace it.
    openings = {line.session: line.dia_id for line in reversed(dialogue.lines)}
    lost = [said[name] for name in missed if name in said]
    sessions = {line.session for line in lost}
    newest = max((said[name].session for name in item.asked.evidence if name in said), default=0)
    counts['missed'] += len(lost)
    counts['missed_openings'] += sum(openings[line.session] == line.dia_id for line in lost)
    counts['missed_of_the_assistant'] += sum(dialogue.is_assistant(line) for line in lost)
    for name in item.dia_ids[:FIRST]:
        if name in item.asked.evidence:
            continue
        line = said[name]
        counts['taken'] += 1
        counts['taken_by_the_same_session'] += line.session in sessions
        counts['taken_by_newer'] += line.session > newest
        counts['taken_by_openings'] += openings[line.session] == name
        counts['taken_by_the_assistant'] += dialogue.is_assistant(line)
        counts['taken_by_outdated'] += name in item.asked.outdated
