// Package histories simulates the engine, its state and two systems that misbehave, in
// one process and on a clock of their own: a seed is a history of some two hundred
// steps, each checked against an oracle that knows what every user did. It is a test
// alone: see its tests, and make simulate.
package histories
