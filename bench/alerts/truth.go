package main

import "sort"

// span is a half-open range of minutes since Clock.T0.
type span struct{ from, to int }

func (s span) has(m int) bool { return m >= s.from && m < s.to }

// Clock is the simulated time line: truth exists on [T0, T0+N min), rules run on
// [RunFrom, RunTo), and only what happens on [ScoreFrom, RunTo) is scored.
type Clock struct {
	T0                        int64
	N                         int
	RunFrom, ScoreFrom, RunTo int
}

func (c *Clock) unix(m int) int64 { return c.T0 + int64(m)*60 }

// runaway adds perMin credits from minute `start`. It ends `grace` minutes after
// the key ran out, or, when `fixedAt` > 0, at that minute (an operator stopped it).
type runaway struct {
	start, grace, fixedAt int
	perMin                float64
	over                  int // the minute in which it ended after an exhaustion, 0 before
}

type limitOp struct {
	at      int     // happens once, at this minute or later
	atUsed  float64 // more than 0: not before used/limit reaches this ratio
	set     func(limit, used float64) float64
	afterEx int     // more than 0: this many minutes after the key ran out (a top-up)
	below   float64 // more than 0: not before less than this is left (an automatic purchase)
	done    bool
}

type refund struct {
	at     int
	amount float64
}

type Key struct {
	ID        int
	Name      string
	Class     string
	Reset     Reset
	Unlimited bool
	LimitZero bool
	BYOKShare float64
	BYOKIn    bool
	Env       Env

	usedInit, totalInit float64
	limit0              float64
	callCost            float64
	base                []float32 // demand per minute, without runaways
	runaways            []runaway
	ops                 []limitOp
	refunds             []refund
	Account             bool    // the balance of an account instead of a key
	TopUp               float64 // the account buys credits by itself below this balance
	Shared              bool    // a budget that several keys share
	Other               *otherCap

	cf     []float32 // demand if nobody had stopped a runaway
	total  []float64 // all-time usage at the start of each minute
	rem    []float64 // remaining at the start of each minute
	limits []float32
	resets []int // minutes of window starts
	Exh    []Exhaustion
}

func (k *Key) limitAt(m int) float64 { return float64(k.limits[m]) }

// simulate runs the spend process minute by minute and records the truth.
func (k *Key) simulate(c *Clock, rnd *Rand) {
	n := c.N
	k.total, k.rem = make([]float64, n+1), make([]float64, n+1)
	k.limits, k.cf = make([]float32, n+1), make([]float32, n)
	limit, used, total := k.limit0, k.usedInit, k.totalInit
	rest := k.drawRest(rnd)
	exhausted, exFrom, known := false, 0, 0
	next := windowEnd(k.Reset, c.T0)
	sort.Slice(k.refunds, func(i, j int) bool { return k.refunds[i].at < k.refunds[j].at })
	ri := 0
	closeEx := func(m int) {
		if exhausted {
			k.Exh = append(k.Exh, Exhaustion{From: exFrom, To: m, Window: known})
			exhausted = false
		}
		known = m
	}
	for m := 0; m <= n; m++ {
		if c.unix(m) >= next {
			closeEx(m)
			used, rest = 0, k.drawRest(rnd)
			next = windowEnd(k.Reset, c.unix(m))
			k.resets = append(k.resets, m)
		}
		for i := range k.ops {
			o := &k.ops[i]
			switch {
			case o.done || m < o.at:
				continue
			case o.afterEx > 0:
				if !exhausted || m-exFrom < o.afterEx {
					continue
				}
			case o.atUsed > 0 && used < o.atUsed*limit, o.below > 0 && limit-used >= o.below:
				continue
			}
			o.done = true
			nl := o.set(limit, used)
			if nl > limit && exhausted {
				closeEx(m)
			} else {
				known = m
			}
			limit = nl
		}
		for ri < len(k.refunds) && k.refunds[ri].at <= m {
			a := k.refunds[ri].amount
			used, total = used-a, total-a
			ri++
		}
		if exhausted && limit-used > max(rest, 0)+2*k.callCost {
			closeEx(m)
		}
		k.total[m], k.rem[m], k.limits[m] = total, limit-used, float32(limit)
		if k.Unlimited {
			k.rem[m] = 1e18
		}
		if m == n {
			break
		}
		d := float64(k.base[m])
		cf := d
		for i := range k.runaways {
			r := &k.runaways[i]
			if m < r.start || r.over > 0 {
				continue
			}
			x := r.perMin * r.noise(rnd)
			if m < r.start+4*1440 {
				cf += x
			}
			if r.fixedAt > 0 && m >= r.fixedAt {
				continue
			}
			d += x
			if exhausted && m-exFrom > r.grace {
				r.over = m + 1
			}
		}
		k.cf[m] = float32(cf)
		if k.Unlimited {
			total += d
			continue
		}
		if !exhausted && used+d >= limit-rest {
			s := limit - rest - used
			if s < 0 {
				s = 0
			}
			used, total = used+s, total+s
			exhausted, exFrom = true, m+1
			continue
		}
		if !exhausted {
			used, total = used+d, total+d
		}
	}
	if exhausted {
		k.Exh = append(k.Exh, Exhaustion{From: exFrom, To: n + 1, Window: known})
	}
	if k.Unlimited || k.LimitZero {
		k.Exh = nil
		return
	}
	// A refund that buys a few more calls is the same event.
	var merged []Exhaustion
	for _, e := range k.Exh {
		if l := len(merged); l > 0 && e.From-merged[l-1].To < 60 && !k.resetIn(merged[l-1].To-1, e.From) {
			merged[l-1].To = e.To
			continue
		}
		merged = append(merged, e)
	}
	k.Exh = merged
	for i := range k.Exh {
		k.Exh[i].Class = k.classify(c, &k.Exh[i])
	}
}

// drawRest draws the rest of the credits with which calls are refused. It is below 0 if the last call overshoots.
func (k *Key) drawRest(r *Rand) float64 { return (r.Float64()*2.5 - 1) * k.callCost }

func (x *runaway) noise(r *Rand) float64 { return 0.85 + 0.3*r.Float64() }

func (k *Key) resetIn(a, b int) bool {
	i := sort.SearchInts(k.resets, a+1)
	return i < len(k.resets) && k.resets[i] <= b
}
