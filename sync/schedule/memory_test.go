package schedule_test

import (
	"testing"

	"nightporter/sync/schedule"
	"nightporter/sync/schedule/ledgertest"
)

func TestMemory(t *testing.T) {
	ledgertest.Test(t, func(*testing.T) (schedule.Ledger, func() schedule.Ledger) {
		m := schedule.NewMemory()
		return m, func() schedule.Ledger { return m }
	})
}
