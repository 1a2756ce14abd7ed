"""Results that were published elsewhere: what is stated of them, and who adds, corrects and removes them."""
