"""SNMP itself over real UDP: values, walks, lost and late and broken answers; and the agent's own reading of BER."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sparktui.config import SwitchConfig
from sparktui.demo import agent as served
from sparktui.demo import ber
from sparktui.demo.agent import SnmpAgent, Value
from sparktui.switch import oids
from sparktui.switch.getter import Asker, NoAnswer, SnmpError
from sparktui.switch.values import Oid
from sparktui.transports.snmp import Engines, SnmpSession
from tests.snmp_rig import COMMUNITY, TIMEOUT_S, agent, community, config, requests, table
from tests.snmprec import plain

__all__ = ["agent", "community", "requests", "table"]


@pytest.fixture
async def engines() -> AsyncIterator[Engines]:
    engines = Engines(TIMEOUT_S)
    yield engines
    engines.close()


def session(engines: Engines, agent: SnmpAgent) -> SnmpSession:
    return SnmpSession(engines, "switch0", config(agent.port))


class TestSession:
    async def test_every_type_of_value(self, engines: Engines, agent: SnmpAgent, table: dict[Oid, Value]) -> None:
        table[1, 3, 1] = served.integer(-5)
        table[1, 3, 2] = served.gauge(-1)
        table[1, 3, 3] = served.counter32((1 << 32) - 1)
        table[1, 3, 4] = served.counter64((1 << 64) - 1)
        table[1, 3, 5] = served.ticks(123_456_700)
        table[1, 3, 6] = served.text(b"\x00\xff\x80")
        table[1, 3, 7] = served.text("")
        table[1, 3, 8] = served.oid((1, 3, 6, 1, 4, 1, 14988, 1))
        table[1, 3, 9] = Value(ber.IP_ADDRESS, bytes((10, 77, 0, 1)))
        asked = [(1, 3, number) for number in range(1, 12)]
        assert await session(engines, agent).get(asked) == {
            (1, 3, 1): -5,
            (1, 3, 2): 4_294_967_295,
            (1, 3, 3): 4_294_967_295,
            (1, 3, 4): 18_446_744_073_709_551_615,
            (1, 3, 5): 123_456_700,
            (1, 3, 6): b"\x00\xff\x80",
            (1, 3, 7): b"",
            (1, 3, 8): (1, 3, 6, 1, 4, 1, 14988, 1),
            (1, 3, 9): b"\x0a\x4d\x00\x01",
        }

    async def test_walks_give_what_the_table_has(
        self, engines: Engines, agent: SnmpAgent, table: dict[Oid, Value]
    ) -> None:
        columns = (oids.IF_NAME, oids.IF_HIGH_SPEED, oids.IF_ALIAS, (*oids.OPTICAL_ENTRY, 12))
        found = await Asker(session(engines, agent)).walk(columns)
        assert found == {
            oid: value for oid, value in plain(table).items() if any(oid[: len(top)] == top for top in columns)
        }
        assert len(found) == 36 * 3 + 6

    async def test_the_end_of_everything_is_marked(self, engines: Engines, agent: SnmpAgent) -> None:
        last = (*oids.OPTICAL_ENTRY, 12, 28)
        rows = await session(engines, agent).bulk([last], 3)
        assert rows[0][0] == ((*last[:-1], 32), b"SN000032")
        assert rows[0][1][1] is rows[0][2][1] is None

    async def test_one_lost_request_is_repeated(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.drop = 1
        assert len(await session(engines, agent).get([oids.SYS_UPTIME])) == 1

    async def test_two_lost_requests_are_no_answer(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.drop = 2
        asked = session(engines, agent)
        with pytest.raises(NoAnswer, match=rf"127\.0\.0\.1 port {agent.port}/udp.*wrong community in \$RACK_COMMUNITY"):
            await asked.get([oids.SYS_UPTIME])
        assert len(await asked.get([oids.SYS_UPTIME])) == 1

    async def test_an_answer_that_is_late_is_not_taken_for_a_later_one(
        self, engines: Engines, agent: SnmpAgent
    ) -> None:
        asked = session(engines, agent)
        await asked.get([oids.SYS_UPTIME])
        agent.faults.delay_s = 3 * TIMEOUT_S
        with pytest.raises(NoAnswer):
            await asked.get([oids.SYS_DESCR])
        agent.faults.delay_s = 0.0
        for _ in range(20):
            assert list(await asked.get([oids.SYS_UPTIME])) == [oids.SYS_UPTIME]

    async def test_an_answer_that_is_not_snmp(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.garbage = True
        with pytest.raises(NoAnswer):
            await session(engines, agent).get([oids.SYS_UPTIME])

    async def test_an_error_status(self, engines: Engines, agent: SnmpAgent) -> None:
        agent.faults.error_status = 5
        with pytest.raises(SnmpError, match="genErr"):
            await session(engines, agent).get([oids.SYS_UPTIME])

    async def test_a_host_name(self, engines: Engines, agent: SnmpAgent) -> None:
        asked = SnmpSession(engines, "switch0", replace(config(agent.port), host="localhost"))
        assert len(await asked.get([oids.SYS_UPTIME])) == 1

    async def test_a_name_that_is_no_host(self, engines: Engines) -> None:
        asked = SnmpSession(
            engines, "switch0", SwitchConfig(host="no-such-host.invalid", community_env="RACK_COMMUNITY")
        )
        with pytest.raises(SnmpError, match=r"no-such-host\.invalid"):
            await asked.get([oids.SYS_UPTIME])


class TestBer:
    @given(st.binary(max_size=200))
    def test_a_datagram_is_a_request_or_a_value_error(self, data: bytes) -> None:
        try:
            ber.decode_request(data)
        except ValueError:
            pass

    @given(st.integers(-(1 << 31), (1 << 64) - 1), st.lists(st.integers(0, (1 << 32) - 1), max_size=20))
    def test_numbers_and_object_names_as_pyasn1_reads_them(self, number: int, numbers: list[int]) -> None:
        from pyasn1.codec.ber import decoder

        name = (1, 3, *numbers)
        read, rest = decoder.decode(ber.encode_binding(name, ber.INTEGER, number))
        assert rest == b""
        assert (tuple(read[0]), int(read[1])) == (name, number)

    def test_a_request_as_pysnmp_writes_it_whole_and_cut_off_anywhere(self) -> None:
        from pyasn1.codec.ber import encoder
        from pysnmp.proto.api import v2c

        pdu, message = v2c.GetBulkRequestPDU(), v2c.Message()
        v2c.apiBulkPDU.set_defaults(pdu)
        v2c.apiBulkPDU.set_request_id(pdu, 77_777)
        v2c.apiBulkPDU.set_max_repetitions(pdu, 25)
        v2c.apiBulkPDU.set_varbinds(pdu, [(v2c.ObjectIdentifier((1, 3, 6, 1, 4, 1, 14988)), v2c.null)])
        v2c.apiMessage.set_defaults(message)
        v2c.apiMessage.set_community(message, COMMUNITY)
        v2c.apiMessage.set_pdu(message, pdu)
        whole = encoder.encode(message)
        asked = ber.Request(ber.V2C, COMMUNITY.encode(), ber.GET_BULK, 77_777, 0, 25, ((1, 3, 6, 1, 4, 1, 14988),))
        assert ber.decode_request(whole) == asked
        for size in range(len(whole)):
            with pytest.raises(ValueError, match=r"."):
                ber.decode_request(whole[:size])
