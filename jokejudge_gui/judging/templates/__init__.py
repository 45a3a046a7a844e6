"""Judge templates: what another judge put out, held against what was expected, four rules and its reasoning."""
