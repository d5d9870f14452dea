package app

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"nightporter/sync/record"
)

// NoteConfig keeps the configuration, so that each run can say by which one it was
// decided. Who opens an App to run jobs need not call it; who puts it in another's place
// does, once it is there.
func (a *App) NoteConfig(ctx context.Context, who string) error {
	file, err := filepath.Abs(a.Config.Path)
	if err != nil {
		file = a.Config.Path
	}
	if err := a.Store.NoteConfig(ctx, record.ConfigVersion{Who: who, File: file, Text: a.Config.Text}, time.Now()); err != nil {
		return fmt.Errorf("keep the configuration: %w", err)
	}
	return nil
}
