"""Events as plain values, for whoever prints them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from odm_tui.store.events import Event


def event_values(event: Event) -> dict[str, Any]:
    """The event's name and everything it holds."""
    return {"event": event.name, **asdict(event)}
