package main

import "testing"

// Files for a system's own import hold no formula.
func TestOutside22ExportHoldsNoFormula(t *testing.T) { runScripts(t, "testdata/outside22") }
