"""The words of the generator: five wordings that the rules were written with, and one held out."""
