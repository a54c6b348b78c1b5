"""Embeddings over real HTTP, from a server that may misbehave."""

import json

import pytest
from werkzeug import Request, Response

from agents.adapters.embeddings.endpoint import EndpointEmbedder
from agents.core.errors import BadInput, NotConfigured, Transient


@pytest.fixture
def embedder(httpserver):
    return EndpointEmbedder(model="bge-m3", api_key="k", base_url=httpserver.url_for("/v1"))


def vectors_for(request: Request, reverse: bool = False) -> Response:
    asked = json.loads(request.data)["input"]
    data = [
        {"object": "embedding", "index": i, "embedding": [3.0, 4.0, len(t) * 0.0]}
        for i, t in enumerate(asked)
    ]
    return reply(data[::-1] if reverse else data)


def reply(data) -> Response:
    body = {
        "object": "list",
        "model": "bge-m3",
        "data": data,
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    return Response(json.dumps(body), content_type="application/json")


def test_vectors_come_back_in_order_and_of_unit_length(httpserver, embedder):
    httpserver.expect_request("/v1/embeddings").respond_with_handler(lambda r: vectors_for(r, reverse=True))

    assert embedder.embed(["a", "b"]) == [[0.6, 0.8, 0.0], [0.6, 0.8, 0.0]]
    assert embedder.dimension == 3


def test_many_texts_are_asked_in_parts_with_the_model_and_the_key(httpserver, embedder):
    seen = []

    def answer(request: Request) -> Response:
        seen.append((json.loads(request.data)["model"], request.headers["Authorization"]))
        return vectors_for(request)

    httpserver.expect_request("/v1/embeddings").respond_with_handler(answer)

    assert len(embedder.embed([f"text {n}" for n in range(130)])) == 130
    assert seen == [("bge-m3", "Bearer k")] * 3


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (401, NotConfigured, "refused model 'bge-m3'.*check EMBEDDINGS_MODEL, OPENAI_API_KEY"),
        (404, NotConfigured, "refused model 'bge-m3'"),
        (400, BadInput, "refused the text"),
    ],
)
def test_a_refusal_says_what_to_change(httpserver, embedder, status, error, said):
    httpserver.expect_request("/v1/embeddings").respond_with_json({"error": {"message": "no"}}, status=status)

    with pytest.raises(error, match=said):
        embedder.embed(["a"])


def entry(index, embedding):
    return {"object": "embedding", "index": index, "embedding": embedding}


@pytest.mark.parametrize(
    "data",
    [
        [],
        [entry(0, [1.0, 0.0])],
        [entry(0, [1.0, 0.0]), entry(1, [1.0])],
        [entry(0, [0.0, 0.0]), entry(1, [1.0, 0.0])],
        [entry(0, ["x"]), entry(1, [1.0])],
        [entry(0, None), entry(1, None)],
        None,
    ],
)
def test_an_answer_without_usable_vectors_is_a_passing_fault(httpserver, embedder, data):
    httpserver.expect_request("/v1/embeddings").respond_with_handler(lambda request: reply(data))

    with pytest.raises(Transient, match="the embeddings endpoint"):
        embedder.embed(["a", "b"])


def test_an_endpoint_that_is_away_is_a_passing_fault():
    gone = EndpointEmbedder(model="m", api_key="k", base_url="http://127.0.0.1:9/v1")

    with pytest.raises(Transient, match="does not answer"):
        gone.embed(["a"])
