"""Programs that draw the pictures of docs/img and the gallery, and run axe on every page."""
