//! Terminal, Markdown, LaTeX, CSV and SVG output from a results folder.
