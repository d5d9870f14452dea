// Package archtest holds the house rules that a compiler does not: who may
// import whom, which packages stay pure, and that every package says what it
// is for. It has tests only.
package archtest
