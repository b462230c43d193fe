package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/prometheus/prometheus/storage"
)

// engineRun evaluates rule files over the keys of a fleet, in shards at once.
type engineRun struct {
	clock  *Clock
	files  []RuleSet
	needed func(string) bool
	back   time.Duration // how far the rules look back
	step   int
	tsdb   bool
	warns  func(string) bool
	began  time.Time

	label string // that names the key of an alert

	mu      sync.Mutex
	samples int
	uses    map[string][]alertUse // by rule set
	spent   map[string]time.Duration
	errs    map[string]int
}

// play deals the keys to shards, judges each, and returns the number of shards, or the first error of a shard.
func (x *engineRun) play(ids []int, shards int, build func(id int) *Key, rp scorer) (int, error) {
	shards = min(shards, len(ids))
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	err := inParallel(shards, shards, func(shard int) error {
		var keys []*Key
		for i := shard; i < len(ids); i += shards {
			keys = append(keys, build(ids[i]))
		}
		runs, err := x.evaluate(ctx, keys, shard == 0 && len(ids) > 1)
		if err != nil {
			// The other shards would go on for hours.
			stop(err)
			return err
		}
		x.judge(keys, runs, rp)
		return nil
	})
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return 0, context.Cause(ctx)
	}
	return shards, nil
}

// evaluate plays the scrapes of some keys and evaluates the rule files.
func (x *engineRun) evaluate(ctx context.Context, keys []*Key, progress bool) ([]*setRun, error) {
	raw := newMemStore(x.back.Milliseconds())
	runs, err := x.load(raw)
	if err == nil {
		err = x.replay(ctx, keys, raw, runs, progress)
	}
	if err != nil {
		// A run may have a temporary folder.
		for _, r := range runs {
			r.finish()
		}
		return nil, err
	}
	return runs, nil
}

// load loads the rule files. After an error it also returns those that were loaded before.
func (x *engineRun) load(raw *memStore) (runs []*setRun, err error) {
	for _, s := range x.files {
		r, err := newSetRun(s, raw, raw.keep, x.tsdb)
		if err != nil {
			return runs, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// replay scrapes the keys and evaluates the rules, minute by minute of the simulated time.
func (x *engineRun) replay(ctx context.Context, keys []*Key, raw *memStore, runs []*setRun, progress bool) (err error) {
	c, written := x.clock, 0
	put := func(s *slot, t int64, v float64) {
		written++
		if s.series == nil || s.series.dropped {
			s.series = raw.series(s.lset)
		}
		s.series.append(t, v, raw.keep)
	}
	var apps []storage.Appender
	if x.tsdb {
		put = func(s *slot, t int64, v float64) {
			written++
			for _, a := range apps {
				_, e := a.Append(0, s.lset, t, v)
				err = cmp.Or(err, e)
			}
		}
	}
	for m := c.RunFrom; m < c.RunTo; m++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		apps = apps[:0]
		for _, r := range runs {
			if x.tsdb {
				apps = append(apps, r.db.Appender(ctx))
			}
		}
		for _, k := range keys {
			for i := range k.Env.Lives {
				k.Env.Lives[i].scrape(c, k, m, x.needed, put)
			}
		}
		for _, a := range apps {
			err = cmp.Or(err, a.Commit())
		}
		if err != nil {
			return err
		}
		for _, r := range runs {
			r.eval(c, m, x.step, x.label, x.warns)
		}
		if m%360 == 0 {
			old := c.unix(m)*1000 - raw.keep
			raw.drop(old)
			for _, r := range runs {
				r.store.drop(old)
			}
		}
		if progress && (m-c.RunFrom)%(2*1440) == 0 {
			fmt.Fprintf(os.Stderr, "\rday %d of %d, %.0f s", (m-c.RunFrom)/1440, (c.RunTo-c.RunFrom)/1440, time.Since(x.began).Seconds())
		}
	}
	x.mu.Lock()
	x.samples += written
	x.mu.Unlock()
	return nil
}

// judge compares what fired for some keys with what happened to them.
func (x *engineRun) judge(keys []*Key, runs []*setRun, rp scorer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range runs {
		r.finish()
		x.spent[r.set.Name] += r.spent
		for e, n := range r.errs {
			x.errs[r.set.Name+": "+e] += n
		}
		byKey := map[string][]Episode{}
		for _, k := range keys {
			byKey[k.Name] = nil
		}
		uses := x.uses[r.set.Name]
		if uses == nil {
			uses = r.alertUses()
			x.uses[r.set.Name] = uses
		}
		for _, e := range r.closed {
			_, known := byKey[e.Key]
			uses[e.Rule].add(e, known)
			if known {
				byKey[e.Key] = append(byKey[e.Key], e)
			}
		}
		for _, k := range keys {
			rp.judge(k, r.set.Name, byKey[k.Name])
		}
	}
}

// alertUses lists the alert rules, in the order of Episode.Rule.
func (r *setRun) alertUses() []alertUse {
	uses := make([]alertUse, 0, len(r.alerting))
	for _, a := range r.alerting {
		uses = append(uses, alertUse{name: a.Name(), severity: a.Labels().Get("severity")})
	}
	return uses
}
