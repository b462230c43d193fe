package main

import (
	"math"
	"sort"
	"sync"
)

const (
	critHorizon  = 24 * 60     // minutes that a critical alert claims for a never-reset key
	warnHorizon  = 7 * 24 * 60 // and a warning
	unjudgedMins = 75          // first minutes of the score whose exhaustions do not count: their alerts may be older than it
	graceMins    = 5           // an alert that begins so soon after an exhaustion is not false: the rules see its end late
	announcedSec = 15 * 60     // an alert that ended longer before an exhaustion did not announce it
	repeatSec    = 3600        // an alert that fires again within this time continues
)

// tally holds the figures of one class under one rule set.
type tally struct {
	keys                                    int
	exh, fore, sudden, blind                int
	fore1h, crit15, foreMissed, otherMissed int
	leads                                   []float64
	falseCrit, falseWarn, crit, warn        int
	episodes, flaps                         int
}

func (t *tally) add(o *tally) {
	t.keys += o.keys
	t.exh, t.fore, t.sudden, t.blind = t.exh+o.exh, t.fore+o.fore, t.sudden+o.sudden, t.blind+o.blind
	t.fore1h, t.crit15 = t.fore1h+o.fore1h, t.crit15+o.crit15
	t.foreMissed, t.otherMissed = t.foreMissed+o.foreMissed, t.otherMissed+o.otherMissed
	t.leads = append(t.leads, o.leads...)
	t.falseCrit, t.falseWarn, t.crit, t.warn = t.falseCrit+o.falseCrit, t.falseWarn+o.falseWarn, t.crit+o.crit, t.warn+o.warn
	t.episodes, t.flaps = t.episodes+o.episodes, t.flaps+o.flaps
}

type Report struct {
	mu      sync.Mutex
	c       *Clock
	sets    []RuleSet
	tallies map[string]map[string]*tally // set -> class
	days    float64
	order   []string // of the classes
}

// judge scores one key under one rule set.
func (rp *Report) judge(k *Key, set string, eps []Episode) {
	rp.mu.Lock()
	defer rp.mu.Unlock()
	c := rp.c
	t := tallyOf(rp.tallies, set, k.Class)
	t.keys++
	sort.Slice(eps, func(i, j int) bool { return eps[i].Start < eps[j].Start })
	for i := range k.Exh {
		e := &k.Exh[i]
		if e.From < c.ScoreFrom+unjudgedMins || e.From >= c.RunTo {
			continue
		}
		t.exh++
		lead, ok := chain(c, e, eps, false)
		clead, cok := chain(c, e, eps, true)
		switch e.Class {
		case "foreseeable":
			t.fore++
			if ok {
				t.leads = append(t.leads, lead)
			} else {
				t.leads = append(t.leads, 0)
				t.foreMissed++
			}
			if lead >= 3600 {
				t.fore1h++
			}
			if cok && clead >= 900 {
				t.crit15++
			}
		default:
			if e.Class == "blind" {
				t.blind++
			} else {
				t.sudden++
			}
			if !ok {
				t.otherMissed++
			}
		}
		per := map[string]int{}
		for _, x := range eps {
			if x.Matches && x.Start >= c.unix(e.Window) && x.Start < c.unix(e.To) {
				t.episodes++
				if per[x.Alert]++; per[x.Alert] > 1 {
					t.flaps++
				}
			}
		}
	}
	for _, x := range eps {
		crit := x.Severity == "critical"
		if !x.Matches || x.Start < c.unix(c.ScoreFrom) || !crit && x.Severity != "warning" {
			continue
		}
		m := int((x.Start - c.T0) / 60)
		right := !k.Unlimited && !k.LimitZero && rp.right(k, m, crit)
		if crit {
			t.crit++
		} else {
			t.warn++
		}
		switch {
		case right:
		case crit:
			t.falseCrit++
		default:
			t.falseWarn++
		}
	}
}

// right: did the key run out before its next reset (or the alert's horizon), or
// would it have, had nobody helped?
func (rp *Report) right(k *Key, m int, crit bool) bool {
	if k.exhaustedAt(m) || k.exhaustedAt(m-graceMins) {
		return true
	}
	by := int((windowEnd(k.Reset, rp.c.unix(m)) - rp.c.T0) / 60)
	if k.Reset == Never {
		if by = m + warnHorizon; crit {
			by = m + critHorizon
		}
	}
	for i := range k.Exh {
		if f := k.Exh[i].From; f >= m && f <= by {
			return true
		}
	}
	return k.wouldExhaust(m, by)
}

// chain returns the seconds from the first firing that stayed, or fired again
// within an hour, until the exhaustion. It does not reach behind the window.
func chain(c *Clock, e *Exhaustion, eps []Episode, critOnly bool) (float64, bool) {
	T, W := c.unix(e.From), c.unix(e.Window)
	start := int64(math.MaxInt64)
	use := func(x *Episode) bool {
		return x.Matches && x.Start < T && (x.Severity == "critical" || x.Severity == "warning" && !critOnly)
	}
	for i := range eps {
		if x := &eps[i]; use(x) && x.End >= T-announcedSec && x.Start < start {
			start = x.Start
		}
	}
	if start == math.MaxInt64 {
		return 0, false
	}
	for changed := true; changed; {
		changed = false
		for i := range eps {
			x := &eps[i]
			if use(x) && x.Start < start && (x.End >= start || x.Start >= W && x.End >= start-repeatSec) {
				start, changed = x.Start, true
			}
		}
	}
	return float64(T - max(start, W)), true
}
