"""The screens, in Textual. Nothing is imported here, so that the words are at hand without them."""
