"""How results are shown: for people in a terminal or a pipe, for programs as JSON.

One module per kind of result, each with `terminal(result)`, the paragraphs and tables that people
read, and `document(result)`, the same as plain JSON types.
"""
