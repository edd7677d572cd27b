"""What the robot does about the same utterances in different situations.

A transcriber hears the same whatever was said before; the decision about it depends on that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from speech_node.config import SpeechConfig
from speech_node.hearing.reaction_policy import Reaction, ReactionKind, ReactionPolicy
from speech_node.interfaces import Intent, IntentKind, Transcript

_COMMAND = Intent(IntentKind.START, 'tower')
_SURE = Transcript('build a tower', 1.0, intent=_COMMAND)
_YES = Transcript('yes', 1.0, intent=Intent(IntentKind.YES))


class Situation(StrEnum):
    """What has happened before an utterance.

    Nothing; a command was confirmed, so that the robot is attentive; or the robot has just asked about a command.
    """

    FIRST = 'first'
    ATTENTIVE = 'attentive'
    ASKED = 'asked'


@dataclass(frozen=True, slots=True)
class HeardUtterance:
    """A transcript, and when its utterance began and ended, in s from the beginning of the sound."""

    transcript: Transcript
    start_s: float
    end_s: float


def reactions(config: SpeechConfig, heard: Sequence[HeardUtterance], situation: Situation) -> list[Reaction]:
    """The reaction to each utterance of a sound that begins right after what has happened before."""
    policy = ReactionPolicy(config)
    if situation is Situation.ATTENTIVE:
        policy.react(_SURE, -4.0, -3.0, -3.0)
        policy.react(_YES, -2.0, -1.0, -1.0)
    elif situation is Situation.ASKED:
        unsure = Transcript(_SURE.text, config.ask_confidence, intent=_COMMAND)
        policy.react(unsure, -1.0, 0.0, 0.0)
    return react_to(policy, heard, 0.0)


def react_to(policy: ReactionPolicy, heard: Sequence[HeardUtterance], begin_s: float) -> list[Reaction]:
    """The reactions of a policy to the utterances of a sound that begins at `begin_s`.

    The decision comes as soon as an utterance ends, so that as much as possible can be taken for an answer.
    """
    times = [(begin_s + one.start_s, begin_s + one.end_s) for one in heard]
    return [
        policy.react(one.transcript, start_s, end_s, end_s) for one, (start_s, end_s) in zip(heard, times, strict=True)
    ]


class HeardEffect(NamedTuple):
    """What a sound leads to: an act, a question, an act that was asked about before, and stops by its transcripts.

    `declined`: it is taken for a no to what was asked, however surely it was heard.
    """

    acted: bool
    asked: bool
    confirmed: bool
    stops: int
    declined: bool = False


def effect(
    config: SpeechConfig, heard: Sequence[HeardUtterance], situation: Situation, acts: Callable[[Transcript], bool]
) -> HeardEffect:
    """What the robot does about a sound. `acts`: whether a transcript that is passed on has an effect."""
    decided = list(zip(heard, reactions(config, heard, situation), strict=True))
    passed = [(one, reaction) for one, reaction in decided if reaction.kind is ReactionKind.PASS]
    kinds = [reaction.kind for _, reaction in decided]
    return HeardEffect(
        any(acts(one.transcript) for one, _ in passed),
        ReactionKind.ASK in kinds,
        any(reaction.text != ' '.join(one.transcript.text.split()) for one, reaction in passed),
        kinds.count(ReactionKind.STOP),
        any(
            one.transcript.intent is not None
            and one.transcript.intent.kind is IntentKind.NO
            and reaction.kind is ReactionKind.SAY
            for one, reaction in decided
        ),
    )
