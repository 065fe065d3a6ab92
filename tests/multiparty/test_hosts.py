"""Three hosts of their own, each in a network namespace with its own address and routes: nothing is shared but the wire.

Needs root and ``ip``; elsewhere the test is skipped, and the ones over loopback stand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import polars as pl
import pytest

from tacit.multiparty.agreement.keys import card_text, make_keys, write_secret

HOSTS = ("north", "south", "east")
SESSION = """[session]
name = "three hosts"
protocol = "additive_sum"
modulus = "2^64"
connect_timeout = {connect}
round_timeout = 20
[task]
compute = "mean"
rows = 100
[task.columns]
age = {{ low = 0, high = 120 }}
"""


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, check=True)


@contextmanager
def hosts(letter):
    """Namespaces on one bridge, whose names begin with the letter; everything is taken down again."""
    mark = f"{letter}{os.getpid() % 10_000}"
    try:
        ip("link", "add", f"{mark}br", "type", "bridge")
        ip("link", "set", f"{mark}br", "up")
        for place, name in enumerate(HOSTS, start=1):
            space = f"{mark}{name}"
            ip("netns", "add", space)
            ip("link", "add", f"{mark}v{place}", "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", f"{mark}v{place}", "master", f"{mark}br", "up")
            ip("-n", space, "addr", "add", f"10.213.77.{place}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        yield {name: f"{mark}{name}" for name in HOSTS}
    finally:
        for name in HOSTS:
            subprocess.run(["ip", "netns", "del", f"{mark}{name}"], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", f"{mark}br"], capture_output=True, check=False)


@pytest.fixture(scope="module")
def networks():
    """Two that know nothing of each other, so that both tests can run at once."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and ip")
    try:
        with hosts("t") as whole, hosts("u") as cut:
            yield whole, cut
    except subprocess.CalledProcessError:
        pytest.skip("network namespaces need root and ip")


def agreed(folder, connect):
    cards = []
    for place, name in enumerate(HOSTS, start=1):
        secret, member = make_keys(name, host=f"10.213.77.{place}", port=9400)
        write_secret(secret, folder / f"{name}.secret.toml")
        pl.DataFrame({"age": [10 * place, 50]}).write_csv(folder / f"{name}.csv")
        cards.append(card_text(member))
    path = folder / "AGREEMENT.toml"
    path.write_text("\n".join([SESSION.format(connect=connect), *cards]))
    return path


def joined(spaces, agreement, names):
    def start(name):
        command = ["ip", "netns", "exec", spaces[name], sys.executable, "-m", "tacit", "party", "join", agreement]
        data = agreement.with_name(f"{name}.csv")
        return subprocess.Popen(
            [*command, "--as", name, "--data", data], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    running = {name: start(name) for name in names}
    return {name: (*one.communicate(timeout=120), one.returncode) for name, one in running.items()}


def with_one_cut_off(spaces, folder):
    """East hears nothing, and nobody hears it; the others wait for it."""
    agreement = agreed(folder, 8)
    ip("-n", spaces["east"], "link", "set", "eth0", "down")
    return joined(spaces, agreement, HOSTS)


@pytest.fixture(scope="module")
def cut_off(networks, tmp_path_factory):
    """What comes of that session, which waits for its deadline beside the other test."""
    with ThreadPoolExecutor() as threads:
        yield threads.submit(with_one_cut_off, networks[1], tmp_path_factory.mktemp("cut"))


@pytest.mark.usefixtures("cut_off")
def test_three_hosts_get_the_mean_of_all(networks, tmp_path):  # catalogue: I-06
    for said, problem, code in joined(networks[0], agreed(tmp_path, 60), HOSTS).values():
        assert code == 0 and "age 35" in said, problem


def test_a_host_that_is_cut_off_is_named_by_the_others(cut_off):
    found = cut_off.result()
    assert all(code != 0 for _, _, code in found.values())
    for name in ("north", "south"):
        _, problem, code = found[name]
        assert code == 10 and "party 'east'" in problem, problem
