package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An oracle is a reference for alerts: it knows how the spend of each key is generated, its state at each minute, even through outages,
// and which exhaustions are scored. It does not know what chance decides later: it draws futures. It waits for the last minute that
// is in time, and alerts if the risk of waiting is high enough. That is not always the best minute, so it is no bound.
type oracle struct {
	price float64 // it alerts if the chance to be late a minute later is at least this multiple of the chance that the alert is false
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
	// One minute has too few futures, so the chance to be late is the mean of so many minutes.
	lastMinutes = 3
	// oracleSeed makes the futures of a key independent of the keys.
	oracleSeed = 0x6f7261636c65
)

// readOracles returns an oracle for each of the comma separated prices.
func readOracles(text string) (sets []RuleSet, oracles []oracle, err error) {
	if text == "" {
		return nil, nil, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		price, err := strconv.ParseFloat(word, 64)
		if err != nil || !(price > 0) || math.IsInf(price, 0) {
			return nil, nil, fmt.Errorf("price %q must be a number above 0", word)
		}
		if slices.Contains(oracles, oracle{price}) {
			return nil, nil, fmt.Errorf("price %q is there twice", word)
		}
		sets, oracles = append(sets, RuleSet{Name: "oracle " + word}), append(oracles, oracle{price})
	}
	return sets, oracles, nil
}

// runOracles judges keys by the alerts of each oracle.
func runOracles(sets []RuleSet, oracles []oracle, c *Clock, seed uint64, ids []int, procs int, build func(id int) *Key, rp *verdicts) {
	if len(oracles) == 0 {
		return
	}
	eachKey(ids, procs, build, func(k *Key) {
		episodes := make([][]Episode, len(oracles))
		for n, a := range oracleAlerts {
			r := newRand(seed^oracleSeed, uint64(k.ID*len(oracleAlerts)+n))
			outlooks := k.outlooks(c, a.lead, a.horizon, r)
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
	late  float64 // the chance of a foreseeable exhaustion for which this minute is the last one that is in time
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
	for m := max(1, c.RunFrom); m < c.RunTo; m++ {
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

// mayRunOut saves the futures of minutes that cannot matter: a foreseeable exhaustion spends in its last hour at most twice the rate of
// the quarter before it (isForeseeable). The first quarter of the last minutes that count is not over yet, hence the slack.
func (k *Key) mayRunOut(m, lead int) bool {
	const slack = 1.2
	from := m + lead - steadyMins
	to := min(m, from+15+lastMinutes)
	rate := (k.total[to] - k.total[from]) / float64(min(15, to-from))
	return k.rem[m] <= 2*60*rate*slack
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
		} else if f.m >= m+lead && !k.isBlind(f.m) && k.isForeseeable(c, f.m, window, f.total, f.left) {
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
	rest := k.drawRest(r)
	for rest >= k.rem[m] && k.rem[m] > -k.callCost { // The key is not out of credits.
		rest = k.drawRest(r)
	}
	return &future{k: k, r: r, next: k.process.shape.ahead(m, r), begin: m, m: m, spent: []float64{0}, rest: rest}
}

// runsOut lets the time go on until the key runs out, at the latest by a minute. The key spends as in simulate, but without what
// begins later: runaways, refunds and changed limits.
func (f *future) runsOut(by int) bool {
	for f.m < by {
		_, cost := callsOf(f.r, f.k.process.calls*f.next())
		d := cost * float64(f.k.process.credits[f.m])
		for i := range f.k.runaways {
			if x := &f.k.runaways[i]; x.start < f.begin && (x.over == 0 || x.over > f.begin) && (x.fixedAt == 0 || x.fixedAt >= f.begin) {
				d += x.perMin * x.noise(f.r)
			}
		}
		spent, most := f.spent[len(f.spent)-1]+d, f.k.rem[f.begin]-f.rest
		f.spent = append(f.spent, math.Min(spent, most))
		f.m++
		if spent >= most {
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
