package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An oracle is the best that an alert could be: it knows how the spend of each key is generated, its exact state at each minute, even
// through outages, and how alerts are scored. It does not know what chance decides later: it draws futures, and alerts at the last
// minute that is in time, if the alert is worth it. So no rule has both fewer late and fewer false alerts, except by luck.
type oracle struct {
	price float64 // of a false alert, in late ones
}

// oracleAlerts are what an oracle fires: the minutes that count as in time, and what an alert claims for a key that never resets.
var oracleAlerts = []struct {
	name, severity string
	lead, horizon  int
}{
	{"OracleCritical", "critical", 15, critHorizon},
	{"OracleWarning", "warning", 60, warnHorizon},
}

const (
	futures = 300
	// An exhaustion within so many minutes after the last minute that is in time counts by a share, because a single minute has too few futures.
	lastMinutes = 3
)

// readOracles returns an oracle for each of the comma separated prices.
func readOracles(text string) (sets []RuleSet, oracles []oracle, err error) {
	if text == "" {
		return nil, nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		price, err := strconv.ParseFloat(word, 64)
		if err != nil || !(price > 0) {
			return nil, nil, fmt.Errorf("price %q must be a number above 0", word)
		}
		sets, oracles = append(sets, RuleSet{Name: "oracle " + word}), append(oracles, oracle{price})
	}
	return sets, oracles, nil
}

// runOracles judges keys by the alerts of each oracle.
func runOracles(sets []RuleSet, oracles []oracle, c *Clock, seed uint64, ids []int, build func(id int) *Key, rp *verdicts) {
	if len(oracles) == 0 {
		return
	}
	eachKey(ids, build, func(k *Key) {
		episodes := make([][]Episode, len(oracles))
		for _, a := range oracleAlerts {
			outlooks := k.outlooks(c, a.lead, a.horizon, newRand(seed+1, uint64(k.ID)))
			for i, o := range oracles {
				for _, s := range o.alerts(k, c, outlooks, a.horizon) {
					episodes[i] = append(episodes[i], Episode{Alert: a.name, Severity: a.severity, Key: k.Name, Start: c.unix(s.from), End: c.unix(s.to), Matches: true})
				}
			}
		}
		for i := range oracles {
			rp.judge(k, sets[i].Name, episodes[i])
		}
	})
}

// outlook is what may follow a minute.
type outlook struct {
	late  float64 // the chance that the next minute is too late for an alert on a foreseeable exhaustion, and this one is not
	never float64 // the chance that an alert is false
}

// alerts returns the minutes in which the alert of an oracle lasts: until the end of the exhaustion, the reset, a changed limit, or the horizon.
func (o oracle) alerts(k *Key, c *Clock, outlooks map[int]outlook, horizon int) (spans []span) {
	for m := c.ScoreFrom; m < c.RunTo; m++ {
		if x, ok := outlooks[m]; !ok || x.late < o.price*x.never {
			continue
		}
		to := m + 1
		for was := false; to < c.RunTo; to++ {
			out := k.exhaustedAt(to)
			if was && !out || k.changesAt(to) || !out && k.Reset == Never && to > m+horizon {
				break
			}
			was = out
		}
		spans = append(spans, span{m, to})
		m = to - 1
	}
	return spans
}

// changesAt: the key has another limit from this minute on, or all of it again.
func (k *Key) changesAt(m int) bool { return k.limits[m] != k.limits[m-1] || k.resetIn(m-1, m) }

// outlooks returns what may follow each minute in which an alert could matter.
func (k *Key) outlooks(c *Clock, lead, horizon int, r *Rand) map[int]outlook {
	result := map[int]outlook{}
	if k.Unlimited || k.LimitZero {
		return result
	}
	window := 0
	for m := c.RunFrom; m < c.RunTo; m++ {
		if k.changesAt(m) || k.exhaustedAt(m-1) && !k.exhaustedAt(m) {
			window = m
		}
		if m < c.ScoreFrom || m-window+lead < steadyMins || k.exhaustedAt(m) || !k.mayRunOut(m, lead) {
			continue
		}
		if x := k.look(c, m, window, lead, horizon, r); x.late > 0 {
			result[m] = x
		}
	}
	return result
}

// mayRunOut: a foreseeable exhaustion spends at most twice the rate of its first quarter.
func (k *Key) mayRunOut(m, lead int) bool {
	from := m + lead - steadyMins
	to := min(m, from+15+lastMinutes)
	rate := (k.total[to] - k.total[from]) / float64(min(15, to-from))
	return k.rem[m] <= 2*60*1.2*rate
}

// look draws futures of a key from minute m on.
func (k *Key) look(c *Clock, m, window, lead, horizon int, r *Rand) (x outlook) {
	by := int((windowEnd(k.Reset, c.unix(m)) - c.T0) / 60)
	if k.Reset == Never {
		by = m + horizon
	}
	by = min(by, c.N)
	open := make([]*future, 0, futures)
	for range futures {
		f := k.future(m, r)
		if !f.runsOut(min(by, m+lead+lastMinutes-1)) {
			open = append(open, f)
		} else if f.m >= m+lead && k.isForeseeable(c, f.m, window, f.total, f.left) {
			x.late += 1.0 / lastMinutes / futures
		}
	}
	if x.late == 0 {
		return x
	}
	for _, f := range open {
		if !f.runsOut(by) {
			x.never += 1.0 / futures
		}
	}
	return x
}

// future is one way in which a key's spend may go on.
type future struct {
	k     *Key
	r     *Rand
	next  func() float64
	begin int
	m     int
	spent []float64 // since the begin, at the start of each minute
	rest  float64   // of the credits, with which calls are refused
}

func (k *Key) future(m int, r *Rand) *future {
	return &future{k: k, r: r, next: k.process.shape.ahead(m, r), begin: m, m: m, spent: []float64{0}, rest: k.drawRest(r)}
}

// runsOut lets the time go on until the key runs out, at the latest by a minute.
func (f *future) runsOut(by int) bool {
	for f.m < by {
		_, cost := callsOf(f.r, f.k.process.calls*f.next())
		d := cost * float64(f.k.process.credits[f.m])
		for i := range f.k.runaways {
			if x := &f.k.runaways[i]; x.start < f.begin && (x.over == 0 || x.over > f.begin) && (x.fixedAt == 0 || x.fixedAt > f.begin) {
				d += x.perMin * x.noise(f.r)
			}
		}
		spent := f.spent[len(f.spent)-1] + d
		f.spent = append(f.spent, spent)
		f.m++
		if spent >= f.k.rem[f.begin]-f.rest {
			return true
		}
	}
	return false
}

// total is the usage at the start of a minute of the past or of this future.
func (f *future) total(m int) float64 {
	if m <= f.begin {
		return f.k.total[m]
	}
	return f.k.total[f.begin] + f.spent[m-f.begin]
}

func (f *future) left(m int) float64 {
	if m <= f.begin {
		return f.k.rem[m]
	}
	return math.Max(0, f.k.rem[f.begin]-f.spent[m-f.begin])
}
