"""The view of a robot at work: events, the session that they form, its recordings, the page and the film.

Plain Python on top of `lucca_core`, `lucca_memory`, `lucca_llm` and `lucca_robot`. Events come from the running stack
(`lucca_cli/stack_events.py`) or from a recording; page, replay and film treat both alike.
"""
