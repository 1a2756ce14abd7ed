"""The documents of the project as pages: those in docs/, and the guide of each benchmark."""
