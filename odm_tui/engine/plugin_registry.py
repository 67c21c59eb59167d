"""Registries: the oracles, explorations and stop rules that a policy can name.

The built-in ones are always there. Other packages register theirs through entry points (``odm_tui.oracles``,
``odm_tui.explorations``, ``odm_tui.stop_rules``). Installed packages are looked at only for a name that is not built
in, or to list all names, so that an interview with a built-in policy starts without them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shorten, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Registered = TypeVar("Registered")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
SEE = "`odm-tui policies`"


class Registry(Mapping[str, Registered], Generic[Registered]):
    """What is registered under one kind, by name: the built-in ones first, then those of other packages.

    ``base`` is the class that a plugin must inherit from. With ``instances``, a plugin's class is called without
    arguments and its instance is registered; otherwise the class itself is.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        base: type[Any],
        built_in: Iterable[tuple[str, Registered]],
        *,
        instances: bool = True,
        reserved: Iterable[str] = (),
    ) -> None:
        self.kind = kind
        self.group = group
        self.built_in: Mapping[str, Registered] = dict(built_in)
        self._base = base
        self._instances = instances
        self._reserved = frozenset(reserved)
        self._loaded: dict[str, Registered] = {}

    def __getitem__(self, name: str) -> Registered:
        """The one with this name. Raises KeyError if there is none, BadArgument if its package is broken."""
        if name in self.built_in:
            return self.built_in[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(name, self._plugins[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or (isinstance(name, str) and name in self._plugins)

    def __iter__(self) -> Iterator[str]:
        """The names, built-in ones first; those of broken packages are left out."""
        yield from self.built_in
        for name in sorted(self._plugins):
            if self._problem_of(name) is None:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, name: object) -> Registered:
        """The one with this name, or an error that proposes another name."""
        if isinstance(name, str) and name in self:
            return self[name]
        raise BadArgument(unknown_name(self.kind, name, list(self), see=SEE))

    def package_of(self, name: str) -> str | None:
        """The package that registers this name; None for a built-in one."""
        return None if name in self.built_in else _package(self._plugins[name][0])

    def problems(self) -> list[str]:
        """One sentence for each plugin that can't be used."""
        found = [self._problem_of(name) for name in sorted(self._plugins)]
        clashes = [
            f"The package {_package(entry)!r} registers the {self.kind} {name!r}, but odm-tui has one of that name. "
            f"The built-in one is used. Rename the other one, or uninstall {_package(entry)!r}."
            for name, entries in sorted(self._entries.items())
            if name in self.built_in or name in self._reserved
            for entry in entries
        ]
        return [sentence for sentence in found if sentence is not None] + clashes

    @cached_property
    def _entries(self) -> dict[str, list[EntryPoint]]:
        """All entry points of the group, by name."""
        from importlib.metadata import entry_points

        found: dict[str, list[EntryPoint]] = defaultdict(list)
        for entry in entry_points(group=self.group):
            found[entry.name].append(entry)
        return dict(found)

    @cached_property
    def _plugins(self) -> dict[str, list[EntryPoint]]:
        """The entry points whose names are free, by name."""
        return {
            name: entries
            for name, entries in self._entries.items()
            if name not in self.built_in and name not in self._reserved
        }

    def _problem_of(self, name: str) -> str | None:
        try:
            self[name]
        except BadArgument as error:
            return str(error)
        return None

    def _load(self, name: str, entries: list[EntryPoint]) -> Registered:
        packages = sorted({_package(entry) for entry in entries})
        whose = f"The {self.kind} {shorten(one_line(name), 40)!r} of the package {packages[0]!r}"
        remedy = f"Update or uninstall {packages[0]!r}."
        if len(packages) > 1:
            named = " and ".join(map(repr, packages))
            raise BadArgument(
                f"The packages {named} both register the {self.kind} {name!r}. Uninstall one of them."
            )
        if not _NAME.fullmatch(name):
            raise BadArgument(
                f"{whose} has a name that can't be used: use small letters, digits, '-' and '_'. {remedy}"
            )
        try:
            found = entries[0].load()
            is_class = isinstance(found, type) and issubclass(found, self._base)
            made = found() if is_class and self._instances else found
        except (Exception, SystemExit) as error:  # whatever a package does when it is imported
            said = shorten(one_line(f"{type(error).__name__}: {error}"), 200)
            raise BadArgument(f"{whose} can't be loaded ({said}). {remedy}") from error
        if not (isinstance(made, self._base) if self._instances else is_class):
            raise BadArgument(
                f"{whose} is not a subclass of odm_tui.{self._base.__name__} ({entries[0].value}). {remedy}"
            )
        if made.name != name:
            raise BadArgument(
                f"{whose} calls itself {made.name!r}; its `name` and its entry point must be the same. {remedy}"
            )
        return made  # type: ignore[no-any-return]  # an instance or a subclass of the base


def _package(entry: EntryPoint) -> str:
    """The name of the package that an entry point belongs to."""
    name = entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]
    return shorten(one_line(name), 64)


def describe(registered: object) -> str:
    """The first line of the docstring of a registered oracle, exploration or stop rule.

    >>> from odm_tui.engine.oracles import ORACLES
    >>> describe(ORACLES["all"])
    'Ask every question, in the order of the bank.'
    """
    kind = registered if isinstance(registered, type) else type(registered)
    lines = (kind.__doc__ or "").strip().splitlines()
    return one_line(lines[0]) if lines else ""
