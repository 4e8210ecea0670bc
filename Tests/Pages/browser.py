"""Starts headless Chromium with its driver, and a server for a folder."""

import contextlib
import functools
import http.server
import threading

from selenium import webdriver


@contextlib.contextmanager
def chromium(*arguments, logs=None):
    """Starts a browser. `logs` has the level of each log to keep, by its name."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,980", *arguments]:
        options.add_argument(argument)
    if logs:
        options.set_capability("goog:loggingPrefs", logs)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.set_script_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


@contextlib.contextmanager
def served(folder):
    """Serves a folder on a free port of the loopback interface."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
