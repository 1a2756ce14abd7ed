"""Files on their way in by HTTP: from the wire straight into the store, and gone with the request unless they
were handed over. Pages and API share it.

Nothing is written for a request until `expect_file` is called on it, which is for whoever has found out who
asks, and for what. `discard_what_is_left` is middleware; `ToStore` is Django's upload handler.
"""

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from leaderboard.services.errors import NoRoom
from leaderboard.services.files import store

FIELD = "file"
CHUNK = 256 * 1024


class Incoming:
    """A file that has come whole with a request; removed at its end unless it is handed over."""

    def __init__(self, arrival: store.FileWriter, request: HttpRequest, *, name: str = "") -> None:
        self._arrival, self._request = arrival, request
        self.arrived = arrival.finish()
        self.name = name

    def hand_over(self) -> store.StoredFile:
        """Return the file, which is the caller's from here on."""
        self._request.arrivals.remove(self._arrival)
        return self.arrived


class InField(UploadedFile):
    """A file in a form. incoming: None for one of another name, and for the second of the name, whose bytes
    are let go."""

    incoming: Incoming | None = None

    def close(self):
        """There is nothing open."""


def expect_file(request: HttpRequest) -> None:
    """Let a file of this request be written to the store."""
    request.arrivals = []
    # What the disk could not take: told once the rest of the form has been read.
    request.no_room = None


def arrive(request: HttpRequest, chunks, *, name: str = "") -> Incoming:
    """Take in the file whose parts are `chunks`. Raises NoRoom, and what `chunks` raises."""
    arrival = _begin(request)
    for chunk in chunks:
        arrival.write(chunk)
    return Incoming(arrival, request, name=name)


def file_in_form(found: UploadedFile) -> Incoming | None:
    """Return the file that came in a form's field, where it was written."""
    return found.incoming if isinstance(found, InField) else None


def raise_no_room(request: HttpRequest) -> None:
    """Raise NoRoom where the disk could not take the file of a form, which has been read to its end."""
    if no_room := getattr(request, "no_room", None):
        raise no_room


def discard_what_is_left(get_response):
    """Middleware: no file outlives its request unless it was handed over."""

    def middleware(request):
        try:
            return get_response(request)
        finally:
            for arrival in getattr(request, "arrivals", ()):
                arrival.discard()

    return middleware


class ToStore(FileUploadHandler):
    """Writes the first file of the field `file` to the store; of other files it only counts the bytes."""

    chunk_size = CHUNK

    def __init__(self, request=None):
        super().__init__(request)
        self._arrival: store.FileWriter | None = None
        self._has_one = False

    def new_file(self, *args, **kwargs):
        super().new_file(*args, **kwargs)
        self._arrival = None
        if not hasattr(self.request, "arrivals"):
            raise SkipFile
        if self.field_name == FIELD and not self._has_one:
            self._has_one = True
            self._arrival = self._or_skip(lambda: _begin(self.request))

    def receive_data_chunk(self, raw_data, start):
        if self._arrival is not None:
            self._or_skip(lambda: self._arrival.write(raw_data))

    def file_complete(self, file_size):
        field = InField(name=self.file_name, size=file_size)
        if self._arrival is not None:
            try:
                field.incoming = Incoming(self._arrival, self.request, name=field.name or "")
            except NoRoom as error:
                self.request.no_room = error
        return field

    def _or_skip(self, act):
        """Return what `act` returns. Where there is no room the file is skipped and the rest of the form
        read: an error here would reach nobody who could tell it."""
        try:
            return act()
        except NoRoom as error:
            self.request.no_room = error
            if self._arrival is not None:
                self._arrival.discard()
            raise SkipFile from error


def _begin(request: HttpRequest) -> store.FileWriter:
    said = request.META.get("CONTENT_LENGTH") or ""
    arrival = store.FileWriter(expected=int(said) if said.isascii() and said.isdecimal() else 0)
    request.arrivals.append(arrival)
    return arrival
