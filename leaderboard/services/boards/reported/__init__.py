"""Results that were published elsewhere, as pages show them."""
