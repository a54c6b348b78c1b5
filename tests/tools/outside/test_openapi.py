"""OpenAPI documents over real HTTP: read, called, refused, found changed."""

import json

import pytest

from agents.core.errors import BadInput
from agents.core.outside import Definition, OutsideSource, OutsideTool
from agents.tools import network
from agents.tools.context import calling
from agents.tools.isolation import ChildFault
from agents.tools.outside.openapi.document import base_of, read_document
from agents.tools.outside.openapi.operations import operations_of
from agents.tools.outside.tools import call, look

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Balance", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/samples/{id}/mass": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "readMass",
                "summary": "Read the mass of a sample.",
                "parameters": [
                    {"name": "unit", "in": "query", "schema": {"type": "string", "enum": ["mg", "g"]}}
                ],
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Mass"}}},
                    }
                },
            },
        },
        "/tare": {
            "post": {
                "summary": "Set the balance to zero.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "pan": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                                    "note": {"type": "string", "nullable": True},
                                },
                                "required": ["pan"],
                            }
                        }
                    },
                },
                "responses": {"204": {"description": "done"}},
            }
        },
        "/photo": {
            "post": {
                "requestBody": {"content": {"image/png": {}}},
                "responses": {"200": {"description": "ok"}},
            }
        },
    },
    "components": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "schemas": {
            "Mass": {"type": "object", "properties": {"mass": {"type": "number"}}, "required": ["mass"]}
        },
    },
}


@pytest.fixture(autouse=True)
def named(monkeypatch):
    monkeypatch.setattr(network, "_allowed", frozenset({"localhost", "127.0.0.1"}))


@pytest.fixture
def source(httpserver):
    httpserver.expect_request("/openapi.json").respond_with_json(DOCUMENT)
    return OutsideSource(id="s", name="balance", kind="openapi", url=httpserver.url_for("/openapi.json"))


async def tools(source) -> dict[str, OutsideTool]:
    found = [Definition.model_validate(row) for row in await look(source)]
    return {each.remote: OutsideTool(name="x", definition=each) for each in found}


async def test_operations_become_tools_with_their_schemas(source):
    found = await tools(source)
    mass = found["readMass"].definition
    assert mass.input_schema["required"] == ["id"]
    assert mass.input_schema["properties"]["unit"]["enum"] == ["mg", "g"]
    assert mass.output_schema["properties"] == {"mass": {"type": "number"}}
    pan = found["post /tare"].definition.input_schema["properties"]["pan"]
    assert pan == {"type": "integer", "exclusiveMinimum": 0}
    assert "image/png" in found["post /photo"].definition.problem


async def test_arguments_go_where_they_belong(source, httpserver):
    httpserver.expect_oneshot_request("/v1/samples/a/b?/mass", query_string={"unit": "mg"}).respond_with_json(
        {"mass": 4.2}
    )
    found = await tools(source)
    assert await call(source, found["readMass"], {"id": "a/b?", "unit": "mg"}) == {"mass": 4.2}


async def test_the_body_and_the_idempotency_key_are_sent(source, httpserver):
    httpserver.expect_request(
        "/v1/tare", method="POST", json={"pan": 1}, headers={"Idempotency-Key": "r:1/act/x:1"}
    ).respond_with_data(status=204)
    found = await tools(source)
    with calling("r:1/act/x:1"):
        assert await call(source, found["post /tare"], {"pan": 1}) == {"text": ""}


async def test_a_secret_goes_into_its_header_and_into_nothing_else(source, httpserver, monkeypatch):
    monkeypatch.setenv("TOOL_SECRET_BALANCE", "canary-key-77")
    source = source.model_copy(update={"headers": {"Authorization": "Bearer $TOOL_SECRET_BALANCE"}})
    httpserver.expect_request(
        "/v1/tare", headers={"Authorization": "Bearer canary-key-77"}
    ).respond_with_data("bad key canary-key-77", status=403)
    found = await tools(source)
    with pytest.raises(ChildFault, match=r"does not let us in.*•••") as fault:
        await call(source, found["post /tare"], {"pan": 1})
    assert fault.value.fault == "refused"
    fetched = [request for request, _ in httpserver.log if request.path == "/openapi.json"]
    assert not any("Authorization" in request.headers for request in fetched)


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (400, "bad_input"),
        (404, "bad_input"),
        (409, "bad_input"),
        (401, "refused"),
        (302, "refused"),
        (429, "transient"),
        (500, "transient"),
    ],
)
async def test_every_answer_is_a_fault_of_its_kind(source, httpserver, status, fault):
    httpserver.expect_request("/v1/tare").respond_with_data(
        "told why", status=status, headers={"Location": "http://169.254.169.254/"}
    )
    with pytest.raises(ChildFault) as caught:
        await call(source, (await tools(source))["post /tare"], {"pan": 1})
    assert caught.value.fault == fault


async def test_an_operation_that_the_document_changed_is_not_called(source, httpserver):
    found = await tools(source)
    changed = json.loads(json.dumps(DOCUMENT))
    changed["paths"]["/tare"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"][
        "force"
    ] = {"type": "boolean"}
    httpserver.clear()
    httpserver.expect_request("/openapi.json").respond_with_json(changed)
    with pytest.raises(ChildFault, match="changed the operation") as fault:
        await call(source, found["post /tare"], {"pan": 1})
    assert fault.value.fault == "refused"
    assert [request.path for request, _ in httpserver.log] == ["/openapi.json"]


async def test_a_redirect_of_the_document_is_checked_again(httpserver):
    httpserver.expect_request("/openapi.json").respond_with_data(
        status=302, headers={"Location": "http://10.1.2.3/x"}
    )
    source = OutsideSource(id="s", name="b", kind="openapi", url=httpserver.url_for("/openapi.json"))
    with pytest.raises(ChildFault, match=r"10\.1\.2\.3"):
        await look(source)


async def test_a_document_without_an_address_is_read_from_its_text():
    source = OutsideSource(id="s", name="b", kind="openapi", base_url="https://lab.example/v2")
    found = await look(source, text=json.dumps(DOCUMENT))
    assert found[0]["call"]["base"] == "https://lab.example/v2"


def test_yaml_is_read_as_json_would_be():
    text = "openapi: 3.0.0\ninfo: {title: T, version: 2026-01-01}\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: ok}\n"
    document = read_document(text)
    assert document["info"]["version"] == "2026-01-01"
    assert operations_of(document, "https://x")[0].remote == "get /a"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no OpenAPI"),
        ("[1]", "no OpenAPI"),
        ("{", "no JSON"),
        ("a: [", "no YAML"),
        ("swagger: '2.0'", "Swagger 2"),
        ("openapi: 3.0.0\npaths: {}", "no valid OpenAPI 3"),
        ("openapi: 3.0.0\na: &a [1]\nb: [*a, *a]", "aliases"),
        ("x" * 2_000_001, "longer than"),
        ("!!python/object/apply:os.system ['true']", "no YAML"),
        ("{" * 100_000, "no JSON"),
    ],
)
def test_what_is_no_document_says_so(text, why):
    with pytest.raises(BadInput, match=why):
        read_document(text)


@pytest.mark.parametrize("base", ["", "file:///etc", "https://user:pw@lab.example"])
def test_the_service_needs_an_address(base):
    with pytest.raises(BadInput):
        base_of({"servers": [{"url": base}]}, given=base, document_url="")
