"""Statistics of data with declared bounds, each a value that knows its price before any data are touched."""
