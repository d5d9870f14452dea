package engine

import (
	"context"
	"fmt"

	"nightporter/sync/run"
)

// What a person says of a link may part its records: each is then found or made across like any new one. What is known
// of such a record may be of the one that had its id before. So it is read first, and what follows from the answer is
// done in the same run: a service that runs at night only would do it in the next night.

// readStrays reads the records that lost their partner, or got another one, by what was just decided. It returns those
// that could be read.
func (r *Room) readStrays(ctx context.Context) ([]run.ToRead, error) {
	strays := r.gone.Strayed
	r.gone.Strayed = nil
	var read []run.ToRead
	failed := 0
	for _, t := range strays {
		ok, err := r.observe.ReadRef(ctx, t.Side, t.Ref)
		if fatal := r.observe.PassOver(t.Side, err, &failed); fatal != nil {
			return nil, fmt.Errorf("read %s, which has no partner any more: %w", t.Ref, fatal)
		}
		if ok && err == nil {
			read = append(read, t)
		}
	}
	return read, nil
}

// takeStrays decides the records that lost their partner, or got another one, by what was just decided of them.
func (r *Room) takeStrays(ctx context.Context) error {
	for range rounds {
		if len(r.gone.Strayed) == 0 || r.Options.Dry || r.Limited() {
			return nil
		}
		strays, err := r.readStrays(ctx)
		if err != nil {
			return err
		}
		for _, t := range strays {
			if err := r.one(ctx, t.Side, t.Ref); err != nil {
				return fmt.Errorf("decide %s, which has no partner any more: %w", t.Ref, err)
			}
		}
	}
	return nil
}
