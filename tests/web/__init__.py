"""Tests in a browser; a package, so that they share one and it is closed behind the last of them."""
