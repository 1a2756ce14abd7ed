"""Programs that write the files of the demonstrations, which the graders hold beside their code."""
