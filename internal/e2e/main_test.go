package e2e

import (
	"os"
	"testing"

	"nightporter/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
