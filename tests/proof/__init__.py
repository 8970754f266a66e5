"""The end-to-end proof, through the library."""
