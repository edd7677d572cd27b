"""Settings of retrieval. Weights are round numbers: a whole for what was said, a half for who and when, less for hints.

None is computed from data; docs/memory.md says what was looked at when the signals were chosen.
"""

from dataclasses import dataclass

from lucca_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class RetrievalConfig:
    """How signals are weighed against each other; each signal lies between 0 and 1 within a scope."""

    words: float = setting(0.5, 'Weight of the words of a document (BM25); they count once more among those nearby.')
    words_nearby: float = setting(1.0, 'Weight of the words of a document and its two neighbours (BM25).')
    meaning: float = setting(1.0, 'Weight of the meaning of a document (cosine).')
    meaning_nearby: float = setting(1.0, 'Weight of the meaning of a document and its two neighbours (cosine).')
    group_words: float = setting(0.3, 'Weight of the words of the whole conversation or file (BM25).')
    speaker: float = setting(0.5, 'Bonus of documents by the one speaker whom the question is about.')
    date: float = setting(0.5, 'Bonus of documents from the time that the question names.')
    tells_when: float = setting(0.2, 'Bonus of documents that speak of a time, where the question asks when.')
    tells: float = setting(0.2, 'Bonus of documents that state something, over those that only ask.')
    k1: float = setting(1.2, 'BM25: how fast repeating a word stops counting.')
    b: float = setting(0.75, 'BM25: how much longer documents are discounted.')
    same_subject: float = setting(0.6, 'Cosine from which two lines of a speaker are versions of one statement.')
    as_good: float = setting(0.6, "Share of an older version's score that a newer one needs to go before it.")
    own_same_subject: float = setting(0.3, 'The same, where somebody asks about themselves.')
    own_as_good: float = setting(0.5, 'The same, where somebody asks about themselves.')
    newest_first_among: int = setting(10, 'Best documents among which a newer version goes before an older one.')

    def __post_init__(self) -> None:
        for name in (
            'words',
            'words_nearby',
            'meaning',
            'meaning_nearby',
            'group_words',
            'speaker',
            'date',
            'tells_when',
            'tells',
            'k1',
        ):
            if not getattr(self, name) >= 0:
                raise ValueError(f'{name} must not be negative, got {getattr(self, name)}')
        for name in ('b', 'same_subject', 'as_good', 'own_same_subject', 'own_as_good'):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f'{name} must be within 0 and 1, got {getattr(self, name)}')
        if self.newest_first_among < 0:
            raise ValueError(f'newest_first_among must not be negative, got {self.newest_first_among}')
