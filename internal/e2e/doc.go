// Package e2e runs the whole program against real parts: the platform's simulator,
// SQLite and PostgreSQL databases, its own binary. It holds tests only.
package e2e
