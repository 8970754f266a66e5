"""The plugin contract: protocols, capabilities, the envelope, the error tree and the wire codec."""
