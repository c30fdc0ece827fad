"""Which cookies reach the application."""


def without_escapes(cookies: str) -> str:
    r"""A Cookie header without the cookies that have a backslash.

    Likeness sets none. Python takes quadratic time to undo `"\0\0..."` where its `http.cookies`
    has not been mended (3.11.7, for example): seconds for one header.
    """
    if "\\" not in cookies:
        return cookies
    return ";".join(cookie for cookie in cookies.split(";") if "\\" not in cookie)
