// Package doctor finds out how an API is to be read: which keys of a preset fit it, and
// what can be promised of it. It asks with GET alone, no more than so many times, and
// never shows what stands in a record.
//
// What it asks next depends on what it saw; what it concludes is said by functions of
// the answers alone. A conclusion is known, likely, or not known: what can't be told from
// outside, or was seen both ways, is said to be so and left as the preset has it.
package doctor
