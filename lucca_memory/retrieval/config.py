"""Settings of retrieval: the weights of the ranking signals and the limits of an answer.

The weights are round numbers (1 for words, half for speaker and date, less for hints) and were not fitted to data;
docs/memory.md describes how the signals were chosen.
"""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class RetrievalConfig:
    """Weights of the signals; each signal lies between 0 and 1 within a scope."""

    words: float = setting(
        0.5, 'Weight of the words of a document (BM25); they count once more among those nearby.', least=0
    )
    words_nearby: float = setting(1.0, 'Weight of the words of a document and its two neighbours (BM25).', least=0)
    meaning: float = setting(1.0, 'Weight of the meaning of a document (cosine).', least=0)
    meaning_nearby: float = setting(
        1.0, 'Weight of the meaning of a document and its two neighbours (cosine).', least=0
    )
    context_words: float = setting(
        80.0, 'Words of a document at which its neighbours count half in what is nearby.', above=0
    )
    opening: float = setting(
        1.2,
        'Weight of the best match in a conversation, for the first line of that conversation; half for a question.',
        least=0,
    )
    conversation: float = setting(
        1.0, 'Weight of the best match in a conversation, if the message tells more than it asks.', least=0
    )
    group_words: float = setting(0.3, 'Weight of the words of the whole conversation or file (BM25).', least=0)
    speaker: float = setting(
        0.7, 'Bonus of documents by the speakers the question is about; less for one who said most of them.', least=0
    )
    recent: float = setting(
        0.5, 'Share by which the newest conversation raises a score, if the message tells more than it asks.', least=0
    )
    recent_conversations: float = setting(8.0, 'Conversations after which that share is half.', above=0)
    recent_days: float = setting(14.0, 'Days after which that share is half.', above=0)
    date: float = setting(1.0, 'Bonus of documents from the time that the question names.', least=0)
    tells_when: float = setting(0.2, 'Bonus of documents that mention a time, if the question asks when.', least=0)
    tells: float = setting(0.2, 'Bonus of documents that state something, over those that only ask.', least=0)
    named: float = setting(1.0, 'Bonus of documents whose name is in the question.', least=0)
    beside: float = setting(
        0.1, 'Share of the better neighbour in a conversation that a document gets; less for a long one.', least=0
    )
    enough_words: float = setting(
        0.5, "Share of the question's words that an answer must contain, if only answers are wanted.", least=0, most=1
    )
    enough_meaning: float = setting(0.4, 'Cosine with the question that is enough instead.', least=0, most=1)
    enough_share: float = setting(
        0.85, "Share of the best answer's score that further answers must reach.", least=0, most=1
    )
    k1: float = setting(1.2, 'BM25: how fast repeating a word stops counting.', least=0)
    b: float = setting(0.75, 'BM25: how much longer documents are discounted.', least=0, most=1)
    same_subject: float = setting(
        0.6, 'Cosine from which two lines of a speaker are versions of one statement.', least=0, most=1
    )
    as_good: float = setting(
        0.6, "Share of the older version's score that a newer one needs to be placed before it.", least=0, most=1
    )
    own_same_subject: float = setting(0.4, 'same_subject for people who ask about themselves.', least=0, most=1)
    own_as_good: float = setting(0.7, 'as_good for people who ask about themselves.', least=0, most=1)
    newest_first_among: int = setting(10, 'Best documents among which newer versions are placed first.')

    def __post_init__(self) -> None:
        check_bounds(self)
