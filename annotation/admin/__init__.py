"""The researcher's pages, in Django's admin site; `config.admin` registers them."""
