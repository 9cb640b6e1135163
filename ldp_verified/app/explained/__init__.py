"""A page for each of our errors: what it means and what to do; `ldp-verified explain CODE`."""

from ldp_verified.app.explained.pages import FOLDER, codes, page, title

__all__ = ["FOLDER", "codes", "page", "title"]
