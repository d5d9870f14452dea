package systems

import (
	"context"
	"database/sql"
	"strings"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// subscriptionSetting begins the name of each setting that holds one of our subscriptions to webhooks. Its secrets
// are in it, too: only the owner of the state file can read the file.
const subscriptionSetting = "subscription:"

// subscription is a record.Subscription as it is kept, in milliseconds.
type subscription struct {
	ID       string                   `json:"id,omitempty"`
	Since    sqlite.Moment            `json:"since,omitempty"`
	Marked   bool                     `json:"marked,omitempty"`
	Secrets  []signed                 `json:"secrets,omitempty"`
	State    record.SubscriptionState `json:"state,omitempty"`
	Why      string                   `json:"why,omitempty"`
	Checked  sqlite.Moment            `json:"checked,omitempty"`
	Created  int64                    `json:"created,omitempty"`
	Repaired int64                    `json:"repaired,omitempty"`
	Rotated  int64                    `json:"rotated,omitempty"`
	Mended   sqlite.Moment            `json:"mended,omitempty"`
	MendedOf string                   `json:"mended_of,omitempty"`
	Address  string                   `json:"address,omitempty"`
	Moves    int64                    `json:"moves,omitempty"`
	MovesAt  sqlite.Moment            `json:"moves_since,omitempty"`
	Tried    string                   `json:"tried,omitempty"`
	TriedAt  sqlite.Moment            `json:"tried_at,omitempty"`
	Unheard  bool                     `json:"unheard,omitempty"`
}

type signed struct {
	By     string        `json:"by"`
	Secret string        `json:"secret"`
	Since  sqlite.Moment `json:"since,omitempty"`
	Until  sqlite.Moment `json:"until,omitempty"`
}

// KeepSubscription keeps what is known of our subscription to a system's webhooks. It
// is durable when it returns, so that its secret may be relied on.
func (s *Store) KeepSubscription(ctx context.Context, sub record.Subscription) error {
	kept := subscription{
		ID: sub.ID, Since: sqlite.MomentOf(sub.Since), Marked: sub.Marked, State: sub.State, Why: sub.Why, Checked: sqlite.MomentOf(sub.Checked),
		Created: sub.Created, Repaired: sub.Repaired, Rotated: sub.Rotated, Mended: sqlite.MomentOf(sub.Mended), MendedOf: sub.MendedOf,
		Address: sub.Address, Moves: sub.Moves, MovesAt: sqlite.MomentOf(sub.MovesSince),
		Tried: sub.Tried, TriedAt: sqlite.MomentOf(sub.TriedAt), Unheard: sub.Unheard,
	}
	for _, one := range sub.Secrets {
		kept.Secrets = append(kept.Secrets, signed{one.By, string(one.Secret), sqlite.MomentOf(one.Since), sqlite.MomentOf(one.Until)})
	}
	return s.db.AsHolder(ctx, "keep subscription", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.PutSetting(ctx, tx, "", subscriptionSetting+string(sub.System), sqlite.JSON(kept))
	})
}

// ForgetSubscription deletes what is kept of our subscription to a system's webhooks, its secrets too.
func (s *Store) ForgetSubscription(ctx context.Context, system record.System) error {
	return s.db.AsHolder(ctx, "forget subscription", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `DELETE FROM setting WHERE binding = '' AND name = ?1`, subscriptionSetting+string(system))
	})
}

// Subscriptions returns what is kept of our subscriptions, by system.
func (s *Store) Subscriptions(ctx context.Context) (map[record.System]record.Subscription, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (record.Subscription, error) {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return record.Subscription{}, err
		}
		var kept subscription
		if err := sqlite.Decode(text, &kept); err != nil {
			return record.Subscription{}, err
		}
		return kept.of(record.System(strings.TrimPrefix(name, subscriptionSetting))), nil
	}, `SELECT name, value FROM setting WHERE binding = '' AND substr(name, 1, length(?1)) = ?1`, subscriptionSetting)
	out := make(map[record.System]record.Subscription, len(found))
	for _, sub := range found {
		out[sub.System] = sub
	}
	return out, s.db.Explain("read subscriptions", err)
}

func (k subscription) of(system record.System) record.Subscription {
	sub := record.Subscription{
		System: system, ID: k.ID, Since: k.Since.Time(), Marked: k.Marked, State: k.State, Why: k.Why, Checked: k.Checked.Time(),
		Created: k.Created, Repaired: k.Repaired, Rotated: k.Rotated, Mended: k.Mended.Time(), MendedOf: k.MendedOf,
		Address: k.Address, Moves: k.Moves, MovesSince: k.MovesAt.Time(),
		Tried: k.Tried, TriedAt: k.TriedAt.Time(), Unheard: k.Unheard,
	}
	for _, one := range k.Secrets {
		sub.Secrets = append(sub.Secrets, record.Signed{
			By: one.By, Secret: record.Secret(one.Secret), Since: one.Since.Time(), Until: one.Until.Time(),
		})
	}
	return sub
}
