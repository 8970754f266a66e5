"""The backend that forgets: the oracle every other backend must agree with."""
