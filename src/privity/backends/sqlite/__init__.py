"""The embedded backend: SQLite catalogs and indexes beside immutable revision files."""
