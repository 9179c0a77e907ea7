"""Pages that stand where content should be."""
