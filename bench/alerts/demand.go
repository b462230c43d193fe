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

// demand turns a shape into calls and scales each window to ratio() of the limit.
func (k *Key) demand(c *Clock, r *Rand, w []float64, ratio func() float64) {
	if k.limit0 == 0 {
		k.limit0 = r.LogU(5, 2000)
	}
	perMin := r.LogU(0.3, 60) // calls a minute, on average
	mean := 0.0
	for _, x := range w {
		mean += x
	}
	mean /= float64(len(w))
	k.base = make([]float32, len(w))
	calls := 0
	for m := range w {
		n := r.Poisson(perMin * w[m] / mean)
		calls += n
		x := float64(n)
		if n > 0 {
			x *= math.Exp(0.6 / math.Sqrt(float64(n)) * r.NormFloat64())
		}
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

// drift is slow noise: a random factor a day and an AR(1) walk of two hours.
func drift(n int, r *Rand, sigma float64) []float64 {
	f := make([]float64, n)
	day, ar := 0.0, 0.0
	a := math.Exp(-1.0 / 120)
	for m := range f {
		if m%1440 == 0 {
			day = sigma * r.NormFloat64()
		}
		ar = a*ar + math.Sqrt(1-a*a)*sigma*r.NormFloat64()
		f[m] = math.Exp(day + ar)
	}
	return f
}

func flat(c *Clock, r *Rand) []float64 { return drift(c.N, r, r.U(0.05, 0.3)) }

// office hours: a bump of 8-11 hours around a random UTC hour, a little at night.
func office(c *Clock, r *Rand, weekdays bool) []float64 {
	f := drift(c.N, r, r.U(0.1, 0.3))
	begin, length, night := r.U(0, 16), r.U(8, 11), r.U(0.005, 0.1)
	if r.P(0.7) {
		begin = r.U(6, 15)
	}
	for m := range f {
		h := math.Mod(float64(m)/60-begin+48, 24)
		x := night
		if h < length {
			x += math.Min(1, math.Min(h, length-h)/1.0) // an hour of ramp on both sides
		}
		if d := (c.unix(m)/daySec + 3) % 7; weekdays && d >= 5 {
			x = night * 0.3
		}
		f[m] *= x
	}
	return f
}

// bursts: Poisson batch jobs of 5-40 minutes over a low floor.
func bursts(c *Clock, r *Rand) []float64 {
	f := make([]float64, c.N)
	perDay, floor := r.LogU(3, 30), r.U(0.01, 0.1)
	amp := 1440 / perDay / 20
	for m := range f {
		f[m] += floor
		if r.P(perDay / 1440) {
			a := amp * math.Exp(0.4*r.NormFloat64())
			for j, n := m, m+5+r.IntN(36); j < n && j < len(f); j++ {
				f[j] += a
			}
		}
	}
	return f
}
