#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `oclcache report` has written, as JSON: faults of the page (markup that isn't well
formed, a script, an address elsewhere, a table without a caption, a drawing without a
text ...), and its numbers, of each element with an id.

    page.py <FILE.html
"""
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "hr", "img", "input", "link", "base", "wbr"}
# In SVG an element may end itself.
SELF_ENDING = {"rect", "path", "circle", "line"}
ADDRESSES = {"href", "src", "srcset", "action", "data", "xlink:href", "poster", "ping"}
FORBIDDEN = {"script", "iframe", "object", "embed", "form", "link", "base", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.faults = []
        self.open = []  # of elements: name, attributes
        self.ids = {}
        self.values = {}
        self.tables = {}
        self.headings = []
        self.text = []
        self.row = None
        self.labelled = []

    def fault(self, text):
        self.faults.append(f"line {self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if len(values) != len(attributes):
            self.fault(f"<{tag}> has an attribute twice")
        if tag in FORBIDDEN:
            self.fault(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on"):
                self.fault(f"{name}=")
            if name in ADDRESSES:
                self.fault(f"{name}={value}")
            if name == "fill" and not value.startswith("#"):
                self.fault(f"fill={value}")
        if "id" in values:
            if values["id"] in self.ids:
                self.fault(f"id {values['id']} twice")
            self.ids[values["id"]] = tag
        if tag == "svg" and values.get("aria-hidden") != "true":
            if values.get("role") != "img" or "aria-labelledby" not in values:
                self.fault("a drawing without a text")
            self.labelled += values.get("aria-labelledby", "").split()
        if tag == "th" and values.get("scope") not in ("row", "col"):
            self.fault("<th> without a scope")
        if tag == "html" and not values.get("lang"):
            self.fault("no language")
        if re.fullmatch("h[1-6]", tag):
            level = int(tag[1])
            if level > (self.headings[-1] if self.headings else 0) + 1:
                self.fault(f"<{tag}> after a heading above its parent's")
            self.headings.append(level)
        if tag == "table":
            self.table = {"caption": "", "rows": []}
            self.tables[values.get("id", "")] = self.table
        if tag == "tr":
            self.row = {"heading": "", "values": [], "cells": []}
        if tag == "td":
            self.row["cells"].append("")
        if tag == "data":
            self.value(values)
        if tag not in VOID:
            self.open.append((tag, values))

    def value(self, attributes):
        if not re.fullmatch("[0-9]+", attributes.get("value", "")):
            self.fault("<data> without a number")
            return
        number = int(attributes["value"])
        if self.is_in("td"):
            self.row["values"].append(number)
        for _, values in self.open:
            if "id" in values:
                self.values.setdefault(values["id"], []).append(number)

    def handle_startendtag(self, tag, attributes):
        if tag not in SELF_ENDING:
            self.fault(f"<{tag}/>")
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.fault(f"</{tag}> ends {self.open[-1][0] if self.open else 'nothing'}")
            return
        self.open.pop()
        if tag == "table" and not self.table["caption"]:
            self.fault("a table without a caption")
        if tag == "tr" and self.is_in("tbody"):
            self.table["rows"].append(self.row)

    def is_in(self, tag):
        return any(name == tag for name, _ in self.open)

    def handle_data(self, data):
        if self.is_in("style"):
            if re.search(r"@import|url\((?!#)|expression\(", data):
                self.fault("the style sheet loads something")
            return
        self.text.append(data)
        if self.is_in("caption"):
            self.table["caption"] += data
        if self.is_in("bdi") and self.is_in("th"):
            self.row["heading"] += data
        if self.is_in("td"):
            self.row["cells"][-1] += data

    def handle_comment(self, data):
        self.fault("a comment")

    def handle_pi(self, data):
        self.fault("an instruction")

    def finish(self):
        self.close()
        if self.open:
            self.fault(f"<{self.open[-1][0]}> isn't ended")
        if self.headings.count(1) != 1:
            self.fault("not one <h1>")
        for name in self.labelled:
            if name not in self.ids:
                self.fault(f"no element has the id {name}")


def main():
    source = sys.stdin.buffer.read()
    page = Page()
    try:
        text = source.decode()
    except UnicodeDecodeError as error:
        page.faults.append(f"no UTF-8: {error}")
        text = source.decode(errors="replace")
    if not text.startswith("<!DOCTYPE html>\n"):
        page.faults.append("no document type")
    page.feed(text)
    page.finish()
    json.dump(
        {
            "faults": page.faults,
            "ids": sorted(page.ids),
            "values": page.values,
            "tables": page.tables,
            "text": " ".join("".join(page.text).split()),
        },
        sys.stdout,
    )


main()
