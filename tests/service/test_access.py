"""Who may come in."""

from __future__ import annotations

import pytest

from nli_faith.errors import ConfigError, InputError, MissingExtraError
from nli_faith.service import KeyRing, ServiceSettings, create_app, load_keys
from nli_faith.service.settings import is_loopback
from tests.service.conftest import GOOD, serving

KEY, OTHER = "k" * 20, "o" * 16


@pytest.fixture(scope="module")
def locked():
    with serving(keys=[OTHER, KEY]) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [{"Authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {OTHER}"}, {"X-API-Key": KEY}],
)
def test_a_key_opens(locked, headers):
    assert locked.post("/v1/score", GOOD, headers=headers).status_code == 200
    assert locked.client.get("/metrics", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-API-Key": ""}, {"X-API-Key": KEY + "x"}, {"X-API-Key": KEY[:-1]},
     {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"}, {"X-API-Key": b"\xff\xfe"}],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/score", "/v1/guard", "/v1/explain", "/nothing"])
def test_nothing_else_does(locked, path, headers):
    done = locked.post(path, GOOD, headers=headers)
    assert done.status_code == 401
    assert done.headers["www-authenticate"] == "Bearer"
    assert done.json()["error"]["code"] == "key"


def test_probes_need_no_key(locked):
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert locked.client.get(path).status_code == 200
    assert locked.client.get("/metrics").status_code == 401


def test_keys_are_compared_in_constant_time(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "nli_faith.service.keys.hmac.compare_digest", lambda a, b: seen.append((a, b)) or a == b
    )
    ring = KeyRing([KEY, OTHER])
    assert ring.opens({"x-api-key": KEY})
    assert len(seen) == 2  # all are compared, also after one fits
    assert {len(side) for pair in seen for side in pair} == {32}
    assert KEY not in repr(vars(ring))


def test_keys_of_a_file_and_of_the_environment(tmp_path):
    path = tmp_path / "keys"
    path.write_text(f"# ours\n{KEY}\n\n  {OTHER}\n", encoding="utf-8")
    ring = load_keys(str(path), {})
    assert ring.opens({"x-api-key": OTHER})
    assert load_keys(None, {"NLI_FAITH_API_KEY": KEY}).opens({"x-api-key": KEY})
    assert not load_keys(None, {})
    path.write_text("# none yet\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no API key"):
        load_keys(str(path), {})
    with pytest.raises(InputError, match="cannot read API keys"):
        load_keys(str(tmp_path / "absent"), {})


@pytest.mark.parametrize("key", ["short", "s" * 15, "with a space in it", "密钥" * 10])
def test_a_bad_key_is_refused_unshown(key):
    with pytest.raises(ConfigError) as error:
        KeyRing([key])
    assert key not in str(error.value)


@pytest.mark.parametrize(
    ("host", "inside"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("", False), ("192.0.2.7", False)],
)  # fmt: skip
def test_loopback(host, inside):
    assert is_loopback(host) is inside


def test_beyond_loopback_a_key_is_needed(server):
    for host in ("0.0.0.0", "192.0.2.7", ""):
        with pytest.raises(ConfigError, match="no API key"):
            create_app(server.scorer, ServiceSettings(host=host))
        create_app(server.scorer, ServiceSettings(host=host), KeyRing([KEY]))
        create_app(server.scorer, ServiceSettings(host=host, allow_no_key=True))


def test_a_page_that_resolves_to_loopback_is_refused(server):
    done = server.post("/v1/score", GOOD, headers={"Host": "evil.example:8087"})
    assert (done.status_code, done.json()["error"]["code"]) == (403, "host")
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8087"):
        assert server.client.get("/healthz", headers={"Host": host}).status_code == 200
    with serving(allow_hosts=("score.internal",)) as named:
        assert named.post("/v1/score", GOOD, headers={"Host": "score.internal"}).status_code == 200


def test_a_keyed_service_answers_to_any_name(locked):
    headers = {"Host": "score.example", "X-API-Key": KEY}
    assert locked.post("/v1/score", GOOD, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "bad",
    [{"max_body_bytes": 3}, {"max_claims": 0}, {"timeout_s": 0}, {"timeout_s": "1"},
     {"batch_wait_ms": -1}, {"port": 70000}, {"parallel": True}, {"max_in_flight": 1.5}],
)  # fmt: skip
def test_settings_out_of_range(bad):
    (name,) = bad
    with pytest.raises(ConfigError, match=f"{name} must be .*{bad[name]!r}"):
        ServiceSettings(**bad)


@pytest.mark.parametrize("module", ["starlette.routing", "prometheus_client"])
def test_a_missing_extra_is_named(server, monkeypatch, module):
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"\[serve\]"):
        create_app(server.scorer)
