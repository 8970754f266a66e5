"""FTS5's tokenizer as the indexes use it, for text that is in no index."""

from threading import Lock
from typing import Final

import apsw

from privity.engine.terms import fold, segment

STEMMER: Final = "porter"
ARGUMENTS: Final = ["unicode61", "remove_diacritics", "2"]


class Tokenizer:
    """The tokens of a text."""

    def __init__(self) -> None:
        self.lock: Lock = Lock()
        self.connection: apsw.Connection = apsw.Connection(":memory:")
        self.tokenize: apsw.FTS5Tokenizer = self.connection.fts5_tokenizer(STEMMER, ARGUMENTS)

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of `text` in order, repeats included."""
        utf8 = segment(fold(text)).encode()
        with self.lock:
            found = self.tokenize(
                utf8, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
            )
        return tuple(token for token in found if isinstance(token, str))

    def close(self) -> None:
        """Close the connection that the tokenizer lives in."""
        self.connection.close()
