"""LUCCA's study of conversations with and without memory: its statistics, its published figures, and blind sessions.

Needs models only for sessions; may call everything below lucca_cli.
"""
