package main

import "golang.org/x/sync/errgroup"

// outlookAlert is an alert on the outlook: our rules, without Prometheus' engine.
type outlookAlert struct {
	name, severity string
	wait           int  // minutes
	states         int  // bits of the outlooks with which it fires
	announced      int  // 1: only with an instant of exhaustion, -1: only without
	low            bool // only below a tenth of the limit
}

// Bits of the outlooks, by their index in `outlooks`.
const (
	exhausted = 1 << iota
	imminent
	predicted
	slow
	lasts
	unlimited
	learning
	unknown
)

var ourAlerts = []outlookAlert{
	{name: "Exhausted", severity: "critical", wait: 2, states: exhausted, announced: -1},
	{name: "ExhaustionImminent", severity: "critical", wait: 2, states: imminent | exhausted, announced: 1},
	{name: "ExhaustionPredicted", severity: "warning", wait: 2, states: predicted | imminent | exhausted, announced: 1},
	{name: "ExhaustionSlow", severity: "warning", wait: 2, states: slow},
	{name: "LimitLow", severity: "info", wait: 15, states: learning, low: true},
}

const (
	lookBackMins = 25 // of the alerts, at what was scraped
	everyMins    = 2  // between evaluations
)

// forecastAt returns the forecast of the process at a minute, nil if there is none.
func (l *life) forecastAt(m int) *forecast {
	if i := m - max(l.from, 0); i >= 0 && m < l.to && i < len(l.forecasts) {
		return &l.forecasts[i]
	}
	return nil
}

// scraped returns the newest forecast of a process that Prometheus has scraped within the look-back.
func (l *life) scraped(m int) *forecast {
	for at := m; at > m-lookBackMins; at-- {
		if f := l.forecastAt(at); f != nil && f.outlook >= 0 && !l.hasGap(at) {
			return f
		}
	}
	return nil
}

func (l *life) hasGap(m int) bool {
	for _, g := range l.gaps {
		if g.has(m) {
			return true
		}
	}
	return false
}

// outlookAlerts computes when the alerts of a key fire.
func outlookAlerts(c *Clock, k *Key) (episodes []Episode) {
	prefix := "AIGatewayKey"
	if k.Account {
		prefix = "AIGatewayAccount"
	}
	active, open := make([]int, len(ourAlerts)), make([]*Episode, len(ourAlerts))
	for m := c.RunFrom; m < c.RunTo; m += everyMins {
		states, announced, low := 0, false, false
		for i := range k.Env.Lives {
			l := &k.Env.Lives[i]
			if m < l.from || m >= l.to+lookBackMins {
				continue
			}
			if f := l.scraped(m); f != nil {
				states |= 1 << f.outlook
				announced = announced || f.exhaustion > 0
				low = low || f.left > 0 && f.left < 0.1
			}
		}
		now := c.unix(m) + 59
		for i, a := range ourAlerts {
			fires := states&a.states != 0 && (a.announced == 0 || announced == (a.announced > 0)) && (!a.low || low && !k.Account)
			switch {
			case !fires:
				if open[i] != nil {
					open[i].End = now
					episodes = append(episodes, *open[i])
				}
				active[i], open[i] = 0, nil
			case active[i] == 0:
				active[i] = m
			case m-active[i] >= a.wait && open[i] == nil:
				open[i] = &Episode{Alert: prefix + a.name, Severity: a.severity, Key: k.Name, Start: now, Matches: true}
			}
		}
	}
	for _, e := range open {
		if e != nil {
			e.End = untilEnd
			episodes = append(episodes, *e)
		}
	}
	return episodes
}

// judgeOurs judges keys by our alerts, a few at once.
func judgeOurs(c *Clock, ids []int, procs int, build func(id int) (*Key, error), rp *Report) error {
	var group errgroup.Group
	group.SetLimit(procs)
	for _, id := range ids {
		group.Go(func() error {
			k, err := build(id)
			if err == nil {
				rp.judge(k, ours, outlookAlerts(c, k))
			}
			return err
		})
	}
	return group.Wait()
}
