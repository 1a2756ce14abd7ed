"""Programs that draw the pictures of docs/img and the gallery, and that run axe on every page."""
