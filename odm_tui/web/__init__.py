"""``odm-tui serve``: the screens in a browser. A guarded local web server with one screen process per browser tab."""
