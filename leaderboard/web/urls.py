"""Addresses of the pages."""

app_name = "web"
urlpatterns = []
