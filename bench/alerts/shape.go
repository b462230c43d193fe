package main

import (
	"math"
	"math/rand/v2"
)

// drifting is a weight for each minute with slow noise: a random factor a day and an AR(1) walk of two hours.
func drifting(n int, r *Rand, sigma float64) []float64 {
	fade := math.Exp(-1.0 / 120)
	weights := make([]float64, n)
	day, walk := 0.0, 0.0
	for m := range weights {
		if m%1440 == 0 {
			day = sigma * r.NormFloat64()
		}
		walk = fade*walk + math.Sqrt(1-fade*fade)*sigma*r.NormFloat64()
		weights[m] = math.Exp(day + walk)
	}
	return weights
}

// times multiplies weights by a factor for each minute.
func times(weights []float64, factor func(m int) float64) []float64 {
	for m := range weights {
		weights[m] *= factor(m)
	}
	return weights
}

func flat(c *Clock, r *Rand) []float64 { return drifting(c.N, r, r.U(0.05, 0.3)) }

// office hours: a bump of 8-11 hours around a random UTC hour, a little at night.
func office(c *Clock, r *Rand, weekdays bool) []float64 {
	s := drifting(c.N, r, r.U(0.1, 0.3))
	begin, length, night := r.U(0, 16), r.U(8, 11), r.U(0.005, 0.1)
	if r.P(0.7) {
		begin = r.U(6, 15)
	}
	return times(s, func(m int) float64 {
		h := math.Mod(float64(m)/60-begin+48, 24)
		if d := (c.unix(m)/daySec + 3) % 7; weekdays && d >= 5 {
			return night * 0.3
		}
		if h < length {
			return night + math.Min(1, math.Min(h, length-h)/1.0) // an hour of ramp on both sides
		}
		return night
	})
}

// nightly: one batch job a day at the same hour over a low floor.
func nightly(c *Clock, r *Rand) []float64 {
	s := drifting(c.N, r, r.U(0.1, 0.3))
	begin, length, floor := r.IntN(1440), int(r.U(45, 180)), r.U(0.02, 0.2)
	return times(s, func(m int) float64 {
		if (m-begin+1440)%1440 < length {
			return 1440 / float64(length)
		}
		return floor
	})
}

// bursts: Poisson batch jobs of 5-40 minutes over a low floor.
func bursts(c *Clock, r *Rand) []float64 {
	perDay, floor := r.LogU(3, 30), r.U(0.01, 0.1)
	usual := 1440 / perDay / 20
	weights := make([]float64, c.N)
	for m := range weights {
		weights[m] += floor
		if !r.P(perDay / 1440) {
			continue
		}
		amount := usual * math.Exp(0.4*r.NormFloat64())
		end := m + 5 + r.IntN(36)
		for i := m; i < end && i < len(weights); i++ {
			weights[i] += amount
		}
	}
	return weights
}

type Rand struct{ *rand.Rand }

func newRand(seed, id uint64) *Rand {
	return &Rand{rand.New(rand.NewPCG(seed, id*0x9e3779b97f4a7c15+1))}
}

func (r *Rand) U(a, b float64) float64 { return a + (b-a)*r.Float64() }

func (r *Rand) LogU(a, b float64) float64 { return math.Exp(r.U(math.Log(a), math.Log(b))) }

func (r *Rand) P(p float64) bool { return r.Float64() < p }

func (r *Rand) Pick(xs ...Reset) Reset { return xs[r.IntN(len(xs))] }

func (r *Rand) Poisson(l float64) int {
	if l > 40 {
		return max(0, int(l+math.Sqrt(l)*r.NormFloat64()+0.5))
	}
	p, n, e := 1.0, 0, math.Exp(-l)
	for {
		p *= r.Float64()
		if p < e {
			return n
		}
		n++
	}
}
