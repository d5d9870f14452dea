package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// RAMDisk is a database in memory that outlives the Stores on it. They are opened one after the other, as on a
// file: the next Store finds what the one before committed, but no limit of its growth. Prepared statements stay
// prepared, which makes opening cheap.
type RAMDisk struct {
	conn *sqlite3.SQLiteConn
	lent atomic.Bool
}

// NewRAMDisk makes a RAMDisk that holds what an image holds. With nil it is empty.
func NewRAMDisk(ctx context.Context, image []byte) (*RAMDisk, error) {
	c, err := Connector{DSN: writerDSN(Memory, false), image: image}.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("make a database in memory: %w", err)
	}
	conn, ok := c.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, errors.Join(ErrDriver, c.Close())
	}
	return &RAMDisk{conn: conn}, nil
}

// Close gives up the database and all that it holds. The Store on it is closed first.
func (d *RAMDisk) Close() error { return d.conn.Close() }

// lend gives the connection to a Store.
func (d *RAMDisk) lend() (driver.Conn, error) {
	if !d.lent.CompareAndSwap(false, true) {
		return nil, errors.New("the database in memory is open already: close its Store first")
	}
	return &lentConn{SQLiteConn: d.conn, disk: d}, nil
}

// lentConn is a connection that is given back when it is closed, as good as new.
type lentConn struct {
	*sqlite3.SQLiteConn
	disk *RAMDisk
}

// unlimited is the number of pages to which SQLite limits a database if nobody sets a limit.
const unlimited = 1<<32 - 2

// Close gives the connection back.
func (c *lentConn) Close() error {
	defer c.disk.lent.Store(false)
	_, err := c.Exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, unlimited), nil)
	return err
}

// DriverConn returns the driver's connection under a connection of a pool, and ErrDriver if it is none of ours.
func DriverConn(c any) (*sqlite3.SQLiteConn, error) {
	switch c := c.(type) {
	case *sqlite3.SQLiteConn:
		return c, nil
	case *lentConn:
		return c.SQLiteConn, nil
	}
	return nil, ErrDriver
}
