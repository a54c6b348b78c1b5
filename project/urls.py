"""The addresses of the site."""

from django.contrib import admin
from django.urls import include, path

from project.health import healthz, readyz

handler500 = "reviews.views.storage.answer_fault"
urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("", include("reviews.urls")),
]
