"""The addresses of the sockets."""

from typing import Any

from django.urls import path

from reviews.consumers import RunConsumer

websocket_urlpatterns: list[Any] = [path("ws/runs/<uuid:pk>/", RunConsumer.as_asgi())]
