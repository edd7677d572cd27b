"""Conversation: sessions, turns, the agent that answers, and the tools that it may use."""
