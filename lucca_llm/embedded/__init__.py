"""A rule-based reasoner behind the `ChatModel` protocol. It is no language model and needs none, nor a network.

It reads only the text of the messages that it is sent, within a context window, and answers in the formats that they ask
for. It knows words (lexicon.yaml), a controlled English (noun_phrases.py, clauses.py) and how prompts of this kind are
laid out (reader.py), but no task, no action, no scene. Imports lucca_core and lucca_llm.model only.
"""

from lucca_llm.embedded.model import EmbeddedModel

__all__ = ['EmbeddedModel']
