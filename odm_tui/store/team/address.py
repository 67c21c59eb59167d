"""The address of a team's store; its password is never shown."""

from __future__ import annotations

import hashlib
import os
import re
from urllib.parse import quote, unquote

from odm_tui.errors import BadArgument

ENVIRONMENT = "ODM_TUI_STORE"
_SCHEMES = ("postgresql://", "postgres://")
_LONGEST_NAME = 40


def is_address(text: str) -> bool:
    """Whether a text names a database rather than a file or folder.

    >>> is_address("postgresql://desk@db.example/team"), is_address("state/led.log.jsonl")
    (True, False)
    """
    return text.startswith(_SCHEMES)


def find_address(given: str | None = None) -> str | None:
    """Return the given address, or else the one in ODM_TUI_STORE; None if neither names one."""
    found = given or os.environ.get(ENVIRONMENT) or None
    if found is not None and not is_address(found):
        raise BadArgument(
            "The store must be an address that begins with postgresql://, such as postgresql://db.example/team."
        )
    return found


def check_visible_address(given: str | None) -> None:
    """Raise BadArgument for an address with a password on the command line, where every user of the machine sees it."""
    if given is not None and _find_secrets(given):
        raise BadArgument(
            "A password on the command line can be seen by every user of this machine. Leave it out of --store and put "
            f"it into ~/.pgpass, or put the whole address into {ENVIRONMENT} or into the config file."
        )


def describe_address(address: str) -> str:
    """Return user, host and database of an address, without password and options.

    >>> describe_address("postgresql://ann:s3cret@db.example:5433/team?sslmode=require")
    'ann@db.example:5433/team'
    """
    _, _, rest = address.partition("://")
    login, at, place = _split_login(rest)
    host, _, path = place.partition("?")[0].partition("/")
    user = unquote(login.partition(":")[0])
    name = f"{user}{'@' if at and user else ''}{unquote(host) or 'localhost'}/{unquote(path)}"
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def hide_secrets(text: str, address: str) -> str:
    """Replace the password of an address in a text, however it is written there, by stars."""
    for secret in sorted(_find_secrets(address), key=len, reverse=True):
        for form in (secret, unquote(secret), quote(unquote(secret), safe=""), repr(unquote(secret))[1:-1]):
            if form:
                text = text.replace(form, "***")
    return text


def describe_operator(operator: str) -> str:
    """The name of a connection in the server's list of sessions; it carries the operator's pseudonym."""
    return f"odm-tui {operator}".encode()[: _LONGEST_NAME + 8].decode("utf-8", "ignore")


def presence_key(bank: str, interview: str) -> int:
    """The number of the advisory lock that is held while an interview is open, from −2⁶³ to 2⁶³ − 1."""
    digest = hashlib.sha256(f"odm-tui\0{bank}\0{interview}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _split_login(rest: str) -> tuple[str, str, str]:
    """Split what follows the scheme into user and password, the ``@``, and the rest.

    The password may have an unescaped ``?``, which libpq takes, or ``/``, which it does not.
    """
    before, _, options = rest.partition("?")
    if "@" in before:
        login, at, place = before.rpartition("@")
        return login, at, f"{place}?{options}"
    login, at, place = rest.rpartition("@")
    if at and "/" not in before and ":" in before:
        return login, at, place
    # What stands where a port belongs and is none may be the password of somebody who forgot the host, or escaped no "/".
    host = before.partition("/")[0]
    name, _, port = host.partition(":")
    if "," not in host and not host.startswith("[") and not re.fullmatch(r"[0-9]*", port):
        return f"{name}:{rest[len(name) + 1 :]}", "@", ""
    return "", "", rest


def _find_secrets(address: str) -> set[str]:
    """The password of an address as it is written there: before the host, or as an option after it."""
    _, _, rest = address.partition("://")
    options = rest.partition("?")[2]
    password = _split_login(rest)[0].partition(":")[2]
    secrets = {password, password.partition("/")[0]}
    for name, value in re.findall(r"([^=&?]+)=([^&]*)", options):
        if unquote(name).strip().lower() in ("password", "sslpassword"):
            secrets.add(value)
    return secrets - {""}
