"""Logs: what a system recorded, in JSON Lines or plain text, by handle or by path."""

from __future__ import annotations
