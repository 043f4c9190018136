"""The portal: pages of the service in a browser, and nothing else of it.

A page makes a call of the library with the user of its session; what that user may do is decided there
(`service/permissions.py`). Everything here needs the extra `portal`.
"""
