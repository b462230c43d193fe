package main

import (
	"fmt"
	"log"
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

// play deals the keys to shards, judges each, and returns the number of shards.
func (x *engineRun) play(ids []int, shards int, build func(id int) *Key, rp scorer) int {
	shards = min(shards, len(ids))
	var wg sync.WaitGroup
	for shard := range shards {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var keys []*Key
			for i := shard; i < len(ids); i += shards {
				keys = append(keys, build(ids[i]))
			}
			x.judge(keys, x.evaluate(keys, shard == 0 && len(ids) > 1), rp)
		}()
	}
	wg.Wait()
	fmt.Fprintln(os.Stderr)
	return shards
}

// evaluate plays the scrapes of some keys and evaluates the rule files.
func (x *engineRun) evaluate(keys []*Key, progress bool) []*setRun {
	c, back := x.clock, x.back.Milliseconds()
	raw := newMemStore(back)
	var runs []*setRun
	for _, s := range x.files {
		r, err := newSetRun(s, raw, back, x.tsdb)
		if err != nil {
			log.Fatal(err)
		}
		runs = append(runs, r)
	}
	written := 0
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
				if _, err := a.Append(0, s.lset, t, v); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	for m := c.RunFrom; m < c.RunTo; m++ {
		apps = apps[:0]
		for _, r := range runs {
			if x.tsdb {
				apps = append(apps, r.db.Appender(nil))
			}
		}
		for _, k := range keys {
			for i := range k.Env.Lives {
				k.Env.Lives[i].scrape(c, k, m, x.needed, put)
			}
		}
		for _, a := range apps {
			if err := a.Commit(); err != nil {
				log.Fatal(err)
			}
		}
		for _, r := range runs {
			r.eval(c, m, x.step, x.label, x.warns)
		}
		if m%360 == 0 {
			old := c.unix(m)*1000 - back
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
	return runs
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
