package main

import "math"

// shape is the course of a key's spend: a weight for each minute, and how it may go on.
type shape struct {
	weights []float64
	// ahead returns the weights of a possible future, one minute after the other from m on, given what happened before.
	ahead func(m int, r *Rand) func() float64
}

// drifting is a shape with slow noise: a random factor a day and an AR(1) walk of two hours.
func drifting(n int, r *Rand, sigma float64) *shape {
	fade := math.Exp(-1.0 / 120)
	step := func(walk float64, r *Rand) float64 {
		return fade*walk + math.Sqrt(1-fade*fade)*sigma*r.NormFloat64()
	}
	days, walks, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	day, walk := 0.0, 0.0
	for m := range weights {
		if m%1440 == 0 {
			day = sigma * r.NormFloat64()
		}
		walk = step(walk, r)
		days[m], walks[m], weights[m] = day, walk, math.Exp(day+walk)
	}
	return &shape{weights, func(m int, r *Rand) func() float64 {
		day, walk := days[m-1], walks[m-1]
		return func() float64 {
			if m%1440 == 0 {
				day = sigma * r.NormFloat64()
			}
			walk = step(walk, r)
			m++
			return math.Exp(day + walk)
		}
	}}
}

// times multiplies a shape by what is the same for each of its futures.
func (s *shape) times(factor func(m int) float64) *shape {
	for m := range s.weights {
		s.weights[m] *= factor(m)
	}
	return &shape{s.weights, func(m int, r *Rand) func() float64 {
		next := s.ahead(m, r)
		return func() float64 {
			m++
			return next() * factor(m-1)
		}
	}}
}

func flat(c *Clock, r *Rand) *shape { return drifting(c.N, r, r.U(0.05, 0.3)) }

// office hours: a bump of 8-11 hours around a random UTC hour, a little at night.
func office(c *Clock, r *Rand, weekdays bool) *shape {
	s := drifting(c.N, r, r.U(0.1, 0.3))
	begin, length, night := r.U(0, 16), r.U(8, 11), r.U(0.005, 0.1)
	if r.P(0.7) {
		begin = r.U(6, 15)
	}
	return s.times(func(m int) float64 {
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
func nightly(c *Clock, r *Rand) *shape {
	s := drifting(c.N, r, r.U(0.1, 0.3))
	begin, length, floor := r.IntN(1440), int(r.U(45, 180)), r.U(0.02, 0.2)
	return s.times(func(m int) float64 {
		if (m-begin+1440)%1440 < length {
			return 1440 / float64(length)
		}
		return floor
	})
}

const shortestJob, longestJob = 5, 40

// bursts: Poisson batch jobs of 5-40 minutes over a low floor.
func bursts(c *Clock, r *Rand) *shape {
	type job struct {
		span
		amount float64
	}
	perDay, floor := r.LogU(3, 30), r.U(0.01, 0.1)
	usual := 1440 / perDay / 20
	begins := func(m int, r *Rand) (j job, ok bool) {
		if !r.P(perDay / 1440) {
			return j, false
		}
		amount := usual * math.Exp(0.4*r.NormFloat64())
		return job{span{m, m + shortestJob + r.IntN(longestJob-shortestJob+1)}, amount}, true
	}
	weights, jobs := make([]float64, c.N), []job{}
	for m := range weights {
		weights[m] += floor
		if j, ok := begins(m, r); ok {
			jobs = append(jobs, j)
			for i := m; i < j.to && i < len(weights); i++ {
				weights[i] += j.amount
			}
		}
	}
	return &shape{weights, func(m int, r *Rand) func() float64 {
		var running []job
		for _, j := range jobs {
			if j.from < m && j.to >= m {
				least := max(shortestJob, m-j.from) // it ran a minute ago, but nobody knows for how long
				running = append(running, job{span{j.from, j.from + least + r.IntN(longestJob-least+1)}, j.amount})
			}
		}
		return func() float64 {
			if j, ok := begins(m, r); ok {
				running = append(running, j)
			}
			weight := floor
			for _, j := range running {
				if j.to > m {
					weight += j.amount
				}
			}
			m++
			return weight
		}
	}}
}
