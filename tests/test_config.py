"""The config file: every mistake at once, with its line, its key and what was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui import checks, config


def problems(text: str) -> list[str]:
    with pytest.raises(config.ConfigError) as caught:
        config.parse(text, "c.toml")
    return caught.value.problems


def test_ten_lines_are_a_rack() -> None:
    settings = config.parse("""
[[nodes]]
name = "spark1"
[[nodes]]
name = "spark2"
host = "10.0.0.12"
user = "nvidia"
[switches.crs812]
host = "10.0.0.2"
community_env = "CRS812_COMMUNITY"
expected_absent = ["psu2"]
""")
    assert [node.name for node in settings.nodes] == ["spark1", "spark2"]
    assert settings.nodes[1].user == "nvidia"
    assert settings.switches["crs812"].poll_s == 5.0


def test_every_mistake_is_told_at_once_with_line_and_key() -> None:
    told = problems("""\
[[nodes]]
name = "spark1"
hots = "10.0.0.1"
port = "22"
[[nodes]]
name = "spark1"
planes = {fabrik = ["x"]}
gpu_clock_cap_mhz = 9

[switches.crs812]
host = "10.0.0.2"
community = "public"
version = "4"
[sampling]
fast_s = 0.1
[rack]
order = ["spark9"]
""")
    assert told == [
        "c.toml:3: nodes[1].hots: unknown key: did you mean 'host'?",
        "c.toml:4: nodes[1].port: must be a whole number, not '22'",
        "c.toml:6: nodes[2].name: 'spark1' is used twice",
        "c.toml:7: nodes[2].planes.fabrik: unknown key: did you mean 'fabric'?",
        "c.toml:8: nodes[2].gpu_clock_cap_mhz: 9 is not between 100 and 10000",
        "c.toml:12: switches.crs812.community: secrets do not belong in this file: "
        "name an environment variable (community_env) or a 0600 file (secret_file)",
        'c.toml:13: switches.crs812.version: must be one of "2c", "3", not \'4\'',
        "c.toml:15: sampling.fast_s: 0.1 is not between 0.5 and 60",
        "c.toml:17: rack.order: no node is called 'spark9': did you mean 'spark1'?",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[nodes]]\n", "c.toml:1: nodes[1]: 'name' is missing"),
        ("nodes = 3\n", "c.toml:1: nodes: must be a list, not 3"),
        (
            "[[nodes]]\nname = 'a b'\n",
            "c.toml:2: nodes[1].name: 'a b' is not a name (letters, digits, . _ -, 63 at most)",
        ),
        (
            "[[nodes]]\nname = 'a'\nhost = '-oProxyCommand=x'\n",
            "c.toml:3: nodes[1].host: '-oProxyCommand=x' is not a host",
        ),
        ("[[nodes]]\nname = 'a'\nport = 70000\n", "c.toml:3: nodes[1].port: 70000 is not between 1 and 65535"),
        ("[[nodes]]\nname = 'a'\nport = true\n", "c.toml:3: nodes[1].port: must be a whole number, not True"),
        (
            "[switches.s]\nhost = 'x'\nversion = '3'\nsecret_file = 'f'\n",
            "c.toml:1: switches.s: version 3 needs 'user'",
        ),
        (
            "[switches.s]\nhost = 'x'\n",
            "c.toml:1: switches.s: needs 'community_env' (an environment variable) or 'secret_file' (a 0600 file)",
        ),
        ("[ui]\ntheme = 5\n", "c.toml:2: ui.theme: must be a text, not 5"),
        (
            "[findings.nic.rx_loss]\nmuted = true\n",
            'c.toml:1: findings.nic.rx_loss: write the rule in quotes: [findings."nic.rx_loss"]',
        ),
        ("[uii]\n", "c.toml:1: uii: unknown key: did you mean 'ui'?"),
    ],
)
def test_one_mistake(text: str, told: str) -> None:
    assert problems(text) == [told]


def test_rules_keys_panes_and_themes_are_told_with_the_rest() -> None:
    text = """\
[[nodes]]
name = "a"
prot = 3
[ui]
theme = "spark-drak"
start_pane = "gpus"
[keys]
"app.puase" = "p"
"app.pause" = "q"
[findings."nic.rx_loss"]
thresholds = { share_percnt = 1 }
"""
    with pytest.raises(config.ConfigError) as caught:
        config.parse(text, "c.toml", [checks.rules, checks.screen])
    assert [problem.split(";")[0] for problem in caught.value.problems] == [
        "c.toml:3: nodes[1].prot: unknown key: did you mean 'port'?",
        "c.toml:5: ui.theme: no theme is called 'spark-drak': did you mean 'spark-dark'?",
        "c.toml:6: ui.start_pane: no pane is called 'gpus': did you mean 'gpu'?",
        'c.toml:8: keys."app.puase": no such command, did you mean app.pause?',
        'c.toml:9: keys."app.pause": q is taken by app.quit',
        'c.toml:11: findings."nic.rx_loss".thresholds.share_percnt: no such threshold (did you mean share_percent?)',
    ]


def test_broken_toml_says_where() -> None:
    assert problems("[[nodes]\n")[0].startswith("c.toml: ")
    assert "line 1" in problems("[[nodes]\n")[0]


def test_a_file_that_is_no_text_is_refused(tmp_path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"name = '\xff\xfe'")
    with pytest.raises(config.ConfigError, match="not UTF-8"):
        config.load(str(path))


def test_a_huge_file_is_refused(tmp_path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"#" * (config.MAX_FILE_BYTES + 1))
    with pytest.raises(config.ConfigError, match="larger than"):
        config.load(str(path))


def test_hosts_are_names_addresses_and_ports() -> None:
    nodes = config.from_hosts("spark1, root@10.0.0.2:2222,[fe80::1%eth0]:22,local,spark1").nodes
    assert [(node.name, node.host, node.user, node.port) for node in nodes] == [
        ("spark1", "spark1", None, None),
        ("10.0.0.2", "10.0.0.2", "root", 2222),
        ("fe80::1%eth0", "fe80::1%eth0", None, 22),
        ("local", "local", None, None),
        ("spark1-2", "spark1", None, None),
    ]


@pytest.mark.parametrize("hosts", ["", ",", "a b", "-oProxyCommand=x", "a:99999", "a:b:c", "@", "[::1"])
def test_what_is_no_host_is_refused(hosts: str) -> None:
    with pytest.raises(config.ConfigError):
        config.from_hosts(hosts)


def test_show_round_trips_and_hides_secrets() -> None:
    text = """
[[nodes]]
name = "spark1"
planes = {fabric = ["enp*"]}
[switches.sw]
host = "10.0.0.2"
secret_file = "/etc/sparktui/sw"
[serving]
api_key = "sk-1"
"""
    shown = config.dump(config.parse(text))
    assert "sk-1" not in shown
    assert "(hidden)" in shown
    assert config.parse(shown.replace("(hidden)", "sk-1")) == config.parse(text)


@given(st.text(max_size=300))
def test_no_text_ends_in_anything_but_settings_or_a_config_error(text: str) -> None:
    try:
        settings = config.parse(text)
    except config.ConfigError:
        return
    assert config.parse(config.dump(settings)) == settings


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["nodes", "name", "host", "port", "switches", "rack", "order", "x"]), inner
            )
        ),
        max_leaves=20,
    )
)
def test_no_shape_of_data_escapes_the_checks(data: object) -> None:
    from sparktui.config_check import check

    if isinstance(data, dict) and not check(data, config.Settings):
        import msgspec

        msgspec.convert(data, config.Settings)
