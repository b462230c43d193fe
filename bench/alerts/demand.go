package main

import "math"

// mixed is an ordinary key (safe, exhausting or running away): the ground for the
// classes in which the exporter or the upstream misbehaves.
func (k *Key) mixed(c *Clock, r *Rand) {
	k.Reset = r.Pick(Daily, Daily, Weekly, Monthly)
	switch r.IntN(6) {
	case 0:
		k.demand(c, r, flat(c, r), func() float64 { return r.U(0.3, 0.8) })
	case 1:
		k.demand(c, r, office(c, r, false), func() float64 { return r.U(0.4, 0.85) })
	case 2:
		k.Reset = Daily
		k.demand(c, r, office(c, r, false), func() float64 { return r.U(0.8, 1.5) })
	case 3:
		k.demand(c, r, flat(c, r), func() float64 { return r.U(0.9, 1.5) })
	default:
		k.runawayKey(c, r, false)
	}
}

// runawayKey: a modest ordinary spend, and now and then x5..x50 of its mean rate.
func (k *Key) runawayKey(c *Clock, r *Rand, fixed bool) {
	w := flat(c, r)
	if r.P(0.5) {
		w = office(c, r, r.P(0.3))
	}
	share := r.U(0.15, 0.6)
	k.demand(c, r, w, func() float64 { return share * r.U(0.8, 1.2) })
	k.runsAway(c, r, fixed)
}

// runsAway adds the runaways. fixed: an operator stops each after 20 to 90 minutes.
func (k *Key) runsAway(c *Clock, r *Rand, fixed bool) {
	sum := 0.0
	for _, x := range k.base {
		sum += float64(x)
	}
	mean := sum / float64(len(k.base))
	for m := c.ScoreFrom + int(r.U(0.1, 8)*1440); m < c.RunTo; m += int(r.U(4, 14) * 1440) {
		x := runaway{start: m, grace: int(r.U(10, 180)), perMin: mean * r.LogU(5, 50)}
		if fixed {
			x.fixedAt = m + int(r.U(20, 90))
		}
		k.runaways = append(k.runaways, x)
		if k.Reset == Never && !fixed {
			k.ops = append(k.ops, limitOp{at: m, afterEx: int(r.U(120, 720)), set: func(l, u float64) float64 { return u + k.limit0 }})
		}
	}
}

// callsOf draws the calls of a minute, and how many usual calls they cost as much as.
func callsOf(r *Rand, expected float64) (n int, cost float64) {
	if n = r.Poisson(expected); n > 0 {
		cost = float64(n) * math.Exp(0.6/math.Sqrt(float64(n))*r.NormFloat64())
	}
	return n, cost
}

// demand turns a shape into calls and scales each window to ratio() of the limit.
func (k *Key) demand(c *Clock, r *Rand, weights []float64, ratio func() float64) {
	if k.limit0 == 0 {
		k.limit0 = r.LogU(5, 2000)
	}
	perMin := r.LogU(0.3, 60) // calls a minute, on average
	mean := 0.0
	for _, x := range weights {
		mean += x
	}
	mean /= float64(len(weights))
	k.base = make([]float32, len(weights))
	callsAtOne := perMin / mean
	calls := 0
	for m := range weights {
		n, x := callsOf(r, callsAtOne*weights[m])
		calls += n
		k.base[m] = float32(x)
	}
	scale := func(a, b int, target float64) {
		s := 0.0
		for _, x := range k.base[a:b] {
			s += float64(x)
		}
		if s == 0 {
			return
		}
		for i := a; i < b; i++ {
			k.base[i] *= float32(target / s)
		}
	}
	spent := 0.0
	if k.Reset == Never {
		// ratio is the share of the limit that the scored days use up.
		s := 0.0
		for _, x := range k.base[c.ScoreFrom:c.RunTo] {
			s += float64(x)
		}
		f := float32(ratio() * k.limit0 / s)
		for i := range k.base {
			if i < c.RunFrom {
				k.base[i] = 0 // the key is new
				continue
			}
			k.base[i] *= f
			spent += float64(k.base[i])
		}
	} else {
		for a := 0; a < c.N; {
			b := min(c.N, int((windowEnd(k.Reset, c.unix(a))-c.T0)/60))
			full := float64(windowEnd(k.Reset, c.unix(a))-windowStart(k.Reset, c.unix(a))) / 60
			scale(a, b, ratio()*k.limit0*float64(b-a)/full)
			a = b
		}
		for _, x := range k.base {
			spent += float64(x)
		}
	}
	k.callCost = spent / float64(max(calls, 1))
}
