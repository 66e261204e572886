"""SNMP v2c and v3 by pysnmp; the only module that imports it (about 250 ms), so it is imported on the switches' thread.

Requests go through pysnmp's command generators with ready-made object names, not through its high-level API, which
looks every name up in its MIB tree: that alone is half the CPU time of a request.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from pyasn1.error import PyAsn1Error
from pyasn1.type.univ import Integer, Null, ObjectIdentifier, OctetString
from pysnmp.carrier.asyncio.dgram import udp, udp6
from pysnmp.entity import config as registry
from pysnmp.entity.engine import SnmpEngine
from pysnmp.entity.rfc3413.cmdgen import BulkCommandGeneratorSingleRun, GetCommandGenerator
from pysnmp.error import PySnmpError
from pysnmp.proto import errind
from pysnmp.proto.rfc1902 import ObjectName
from pysnmp.proto.rfc1905 import unSpecified
from pysnmp.proto.secmod.rfc3414.priv import des
from pysnmp.proto.secmod.rfc3826.priv import aes

from sparktui.config import SwitchConfig
from sparktui.switch.getter import NoAnswer, Row, SnmpError, TooBig
from sparktui.switch.values import Oid, Plain
from sparktui.transports.credentials import Credentials, read_credentials

RETRIES: Final = 1
TICK_S: Final = 0.5
"""pysnmp looks at its timers this often, also when idle: its own 0.1 s costs 3 ms of CPU per second."""

HARD_LIMIT_S: Final = 15.0
"""No request outlives this, whatever becomes of it inside pysnmp; SNMPv3 may need several exchanges for one."""

TOO_BIG: Final = 1
STATUS_NAMES: Final = {2: "noSuchName", 5: "genErr", 6: "noAccess", 13: "resourceUnavailable", 16: "authorizationError"}

AUTH: Final = {
    "MD5": registry.USM_AUTH_HMAC96_MD5,
    "SHA1": registry.USM_AUTH_HMAC96_SHA,
    "SHA224": registry.USM_AUTH_HMAC128_SHA224,
    "SHA256": registry.USM_AUTH_HMAC192_SHA256,
    "SHA384": registry.USM_AUTH_HMAC256_SHA384,
    "SHA512": registry.USM_AUTH_HMAC384_SHA512,
}
PRIV: Final = {
    "DES": registry.USM_PRIV_CBC56_DES,
    "AES": registry.USM_PRIV_CFB128_AES,
    "AES192": registry.USM_PRIV_CFB192_AES,
    "AES256": registry.USM_PRIV_CFB256_AES,
}


Keys = tuple[object, ...]
Binding = tuple[Any, Any]
Done = Callable[..., None]


class Engine:
    """A pysnmp engine on the running loop, with its sockets. It knows each SNMPv3 user once."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self.pysnmp = SnmpEngine()
        self._get = GetCommandGenerator()
        self._bulk = BulkCommandGeneratorSingleRun()
        self._domains: set[Oid] = set()
        self._communities: dict[str, str] = {}
        self._users: dict[str, tuple[str, Keys]] = {}
        self._targets: dict[str, tuple[Keys, Any]] = {}

    def admits(self, name: str, config: SwitchConfig, keys: Keys) -> bool:
        """False where another switch has the same SNMPv3 user with other keys."""
        holder, known = self._users.get(config.user or "", (name, keys))
        return config.version != "3" or holder == name or known == keys

    def register(self, name: str, config: SwitchConfig, credentials: Credentials, address: tuple[Any, ...]) -> None:
        """Make a switch known by `name`, or known anew where its credentials or its address have changed."""
        keys: Keys = (config.user, config.auth, config.priv, credentials)
        known_keys, known_address = self._targets.get(name, (None, None))
        if known_keys != keys:
            self._add_security(name, config, credentials, keys)
        if (known_keys, known_address) != (keys, address):
            domain, transport = (udp6.DOMAIN_NAME, udp6.Udp6AsyncioTransport) if len(address) == 4 else UDP
            if domain not in self._domains:
                registry.add_transport(self.pysnmp, domain, transport().open_client_mode())
                self._domains.add(domain)
                self.pysnmp.transport_dispatcher.set_timer_resolution(min(TICK_S, self._timeout_s / 3))
            registry.add_target_address(self.pysnmp, name, domain, address, name, int(self._timeout_s * 100), RETRIES)
        self._targets[name] = keys, address

    def _add_security(self, name: str, config: SwitchConfig, credentials: Credentials, keys: Keys) -> None:
        if config.version == "2c":
            # pysnmp takes an answer for the first entry of its community, so switches that share one share an entry.
            security = self._communities.get(credentials.community)
            if security is None:
                security = self._communities[credentials.community] = f"community{len(self._communities)}"
                registry.add_v1_system(self.pysnmp, security, credentials.community)
            registry.add_target_parameters(self.pysnmp, name, security, "noAuthNoPriv", 1)
            return
        user = config.user or ""
        if self._users.get(user, (None, None))[1] != keys:
            if user in self._users:
                registry.delete_v3_user(self.pysnmp, user)
            registry.add_v3_user(
                self.pysnmp,
                user,
                AUTH[config.auth],
                credentials.auth_key,
                PRIV[config.priv],
                credentials.priv_key,
            )
            self._users[user] = name, keys
        registry.add_target_parameters(self.pysnmp, name, user, "authPriv", 3)

    def send_get(self, name: str, bindings: list[Binding], done: Done) -> None:
        self._get.send_varbinds(self.pysnmp, name, None, "", bindings, done)

    def send_bulk(self, name: str, bindings: list[Binding], repetitions: int, done: Done) -> None:
        self._bulk.send_varbinds(self.pysnmp, name, None, "", 0, repetitions, bindings, done)

    def close(self) -> None:
        self.pysnmp.close_dispatcher()


UDP: Final = (udp.DOMAIN_NAME, udp.UdpAsyncioTransport)


class Engines:
    """One engine for all switches; another only where two switches have the same user with different passwords.

    `timeout_s`: how long one try of a request waits for its answer; there are two.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._engines: list[Engine] = []

    def admitting(self, name: str, config: SwitchConfig, credentials: Credentials) -> Engine:
        keys: Keys = (config.user, config.auth, config.priv, credentials)
        for engine in self._engines:
            if engine.admits(name, config, keys):
                return engine
        self._engines.append(Engine(self._timeout_s))
        return self._engines[-1]

    def close(self) -> None:
        for engine in self._engines:
            engine.close()


class SnmpSession:
    """A Getter over UDP: one request at a time to one switch.

    Credentials and address are looked up before the first request and again after every failure, so that a corrected
    file or a changed DNS entry is noticed. A name with several addresses gives the next one each time, IPv4 first.
    """

    def __init__(self, engines: Engines, name: str, config: SwitchConfig) -> None:
        self._engines = engines
        self._name = name
        self._config = config
        self._engine: Engine | None = None
        self._tries = 0

    async def get(self, oids: Sequence[Oid]) -> dict[Oid, Plain]:
        bindings = [binding(oid) for oid in oids]
        answered = await self._ask(lambda engine, done: engine.send_get(self._name, bindings, done))
        return {oid: value for oid, value in answered if value is not None}

    async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
        bindings = [binding(oid) for oid in starts]
        answered = await self._ask(lambda engine, done: engine.send_bulk(self._name, bindings, repetitions, done))
        return [answered[first :: len(starts)] for first in range(len(starts))]

    async def _ask(self, send: Callable[[Engine, Done], None]) -> list[Row]:
        try:
            engine = self._engine or await self._connect()
            answered: asyncio.Future[tuple[Any, ...]] = asyncio.get_running_loop().create_future()

            def done(_engine: object, _handle: object, *answer: Any) -> None:
                if not answered.done():
                    answered.set_result(answer)

            send(engine, done)
            async with asyncio.timeout(HARD_LIMIT_S):
                indication, status, _, bindings, _ = await answered
            return self._read(indication, int(status), bindings)
        except TooBig:
            raise
        except SnmpError:
            self._engine = None
            raise
        except TimeoutError:
            self._engine = None
            raise NoAnswer(self._silence()) from None
        except (PySnmpError, PyAsn1Error) as error:
            self._engine = None
            raise SnmpError(f"request failed: {type(error).__name__}") from error

    async def _connect(self) -> Engine:
        config = self._config
        credentials = read_credentials(config)
        if config.version == "3" and (des if config.priv == "DES" else aes).PysnmpCryptoError:
            raise SnmpError(
                "SNMPv3 encryption needs the Python package cryptography >= 47: pip install -U cryptography"
            )
        try:
            found = await asyncio.get_running_loop().getaddrinfo(config.host, config.port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise SnmpError(f"{config.host}: {error.strerror or 'name not known'}") from error
        addresses = sorted((address for *_, address in found), key=len)
        self._engine = self._engines.admitting(self._name, config, credentials)
        self._engine.register(self._name, config, credentials, addresses[self._tries % len(addresses)])
        self._tries += 1
        return self._engine

    def _read(self, indication: Any, status: int, bindings: Any) -> list[Row]:
        """The values of an answer; raises what its errors mean."""
        if isinstance(indication, errind.RequestTimedOut):
            raise NoAnswer(self._silence())
        if indication:
            raise SnmpError(self._complaint(indication))
        if status == TOO_BIG:
            raise TooBig("tooBig")
        if status:
            raise SnmpError(f"the switch answers {STATUS_NAMES.get(status, f'error status {status}')}")
        return [(tuple(oid), plain(value)) for oid, value in bindings]

    def _silence(self) -> str:
        config = self._config
        text = (
            f"no answer from {config.host} port {config.port}/udp: switch down, SNMP off, or this address not allowed"
        )
        if config.version == "3":
            return f"{text} (/snmp print)"
        source = f"${config.community_env}" if config.community_env else config.secret_file
        return f"{text}, or wrong community in {source}: a switch does not answer that either (/snmp community print)"

    def _complaint(self, indication: Any) -> str:
        user = self._config.user
        if isinstance(indication, errind.UnknownUserName | errind.UnknownSecurityName):
            return f"the switch knows no SNMPv3 user '{user}' (/snmp community print)"
        if isinstance(indication, errind.WrongDigest | errind.AuthenticationFailure | errind.AuthenticationError):
            return f"wrong authentication password for '{user}', or its protocol is not {self._config.auth}"
        if isinstance(indication, errind.DecryptionError | errind.EncryptionError):
            return f"wrong encryption password for '{user}', or its protocol is not {self._config.priv}"
        if isinstance(indication, errind.UnsupportedSecurityLevel):
            return f"'{user}' has no authentication with encryption on the switch (security=private there)"
        return f"SNMP: {indication}"


@lru_cache(maxsize=4096)
def binding(oid: Oid) -> Binding:
    """What asks for one object. Made once: most objects are asked again at every poll."""
    return ObjectName(oid), unSpecified


def plain(value: Any) -> Plain | None:
    """pysnmp's value as plain Python; None for the markers of absence and of the end, which pyasn1 calls octets too."""
    if isinstance(value, OctetString) and not isinstance(value, Null):
        return bytes(value)
    if isinstance(value, Integer):
        return int(value)
    if isinstance(value, ObjectIdentifier):
        return tuple(value)
    return None
