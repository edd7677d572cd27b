"""A rule-based reasoner behind the `ChatModel` protocol. It needs neither a language model nor a network.

It reads only the messages that it is sent, within a context window, and answers in the formats that they ask for. It
knows English words and sentences (lucca_language) and how prompts are laid out (prompts/prompt_reader.py), but no task,
no action and no scene. Its rooms are prompts, space, kinds, plans, utterances and answers. Each imports only those that
are named before it.
"""
