// Package week runs the configuration of examples/hotel-week, with all that the program
// does, through a week on a fast clock between the simulator and a real PostgreSQL, and
// once more with the program killed at its steps. It holds nothing but that test.
package week
