// Package month runs the daemon itself through a month on a fast clock, with everything
// that a month brings, and compares both sides at the end with what ought to stand
// there. It holds nothing but that test.
package month
