"""The commands of ``odm-tui``, one module each; loaded only when used."""
