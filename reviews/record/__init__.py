"""The record: a keyed chain over what people decided, so that whatever was altered afterwards is found and named."""
