// Package pgtest gives tests a PostgreSQL server of their own: one private
// cluster for each test process, made when the first test asks for it and gone
// with the process. Nothing that already runs on the machine is touched.
package pgtest

import _ "embed"

// PMSSchema creates the schema pms of a small property management system:
// guests, rooms and reservations. Two stays that overlap in one room are refused with
// SQLSTATE 23P01, unless one of them is cancelled, a no-show, or has no room
// yet. Each update counts version up and sets updated_at.
//
//go:embed pms.sql
var PMSSchema string
