"""Settings of the semantic network in the worker."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting
from lucca_memory.semantic.config import CENTRALITIES, ForgettingConfig

EXTRACTORS = ('auto', 'model', 'yake', 'words')


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """What becomes part of the network, and when it is forgotten; the only home of these defaults."""

    network: bool = setting(True, 'Make a semantic network of what people say and of what is done, and recall from it.')
    extractor: str = setting(
        'auto',
        "Finds concepts: model (the worker's), yake or words; auto: the model if it writes or weighs them, else yake.",
    )
    consolidate_at_once: int = setting(4, 'Lines or log entries that become part of the network in one step.', least=1)
    recall_statements: int = setting(
        2, 'Most statements from the network that are added to the other memories of one recall.', least=0
    )
    forget_every_h: float = setting(
        24.0, 'Time between two forgetting passes, in h of wall time; 0: no forgetting.', least=0
    )
    forget_budget_bytes: int = setting(
        2_000_000,
        'UTF-8 bytes of text that the network may keep; 0: no budget, nodes of importance below theta are forgotten.',
        least=0,
    )
    generalize: bool = setting(
        False,
        "Before statements are forgotten, the worker's language model says those about one concept in a shorter text.",
    )
    general_calls: int = setting(
        ForgettingConfig.general_calls, 'Most texts that the model is asked for before one pass.', least=0
    )
    general_deadline_s: float = setting(20.0, 'Longest wait for one of these texts, in s.', above=0)
    general_s: float = setting(
        ForgettingConfig.general_s,
        'Time of the model after which no further text is asked for before a pass, in s.',
        least=0,
    )
    policy_file: str = setting('', 'File of a learned forgetting policy (laboratory); empty for fixed parameters.')
    centrality: str = setting(
        ForgettingConfig.centrality,
        'How central a statement is: posterior (how probably people ask for it); with the laboratory also degree, '
        'pagerank or betweenness.',
    )
    concepts_deadline_s: float = setting(
        20.0, 'Longest wait for the model to name or weigh the concepts of a sentence, in s.', above=0
    )
    calm_s: float = setting(2.0, 'Background work begins this long after the last request to memory, in s.', least=0)
    longest_action_s: float = setting(
        120.0, 'Longest time for which an intent without an outcome delays background work, in s.', least=0
    )
    busy_step_s: float = setting(
        30.0,
        'Time between two steps of background work while memory is in constant use, in s.',
        above=0,
    )

    background_share: float = setting(
        0.5, 'Largest share of time for background work while nobody waits.', above=0, most=1
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.centrality not in CENTRALITIES:
            raise ValueError(f'centrality must be one of {", ".join(CENTRALITIES)}, got {self.centrality[:80]!r}')
        if self.extractor not in EXTRACTORS:
            raise ValueError(f'extractor must be one of {", ".join(EXTRACTORS)}, got {self.extractor[:80]!r}')
