"""Goals from file to pytest item: the model, its two spellings, binding, execution, the pytest plugin."""
