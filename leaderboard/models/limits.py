"""What the limits on sign-ins and requests have counted, for all processes together."""

from django.db import models


class LimitEntry(models.Model):
    """An entry of Django's database cache, which reads and writes this table where CACHE_URL is not set."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key
