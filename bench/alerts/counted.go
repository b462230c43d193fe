package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// alertUse is an alert rule and what became of the episodes that it caused.
type alertUse struct {
	name, severity            string
	fired, nameless, unscored int // episodes; without the name of a key of the fleet; with a severity that is not scored
}

// episodesUnknown is `fired` of the twin's alerts: the twin does not record how often each one fires.
const episodesUnknown = -1

func isScored(severity string) bool { return severity == "critical" || severity == "warning" }

// add counts an episode. `known`: it belongs to a key of the fleet.
func (u *alertUse) add(e Episode, known bool) {
	u.fired++
	if !known {
		u.nameless++
	} else if !isScored(e.Severity) {
		u.unscored++
	}
}

// The parts of the scores in which an alert rule counts.
const (
	counts = iota
	countsInEpisodes
	countsNowhere
)

// verdict is where an alert rule counts, and why not everywhere.
func (u *alertUse) verdict(warns *regexp.Regexp, kind fleetKind) (where int, why string) {
	dynamic := strings.Contains(u.severity, "{{") || u.severity == "" && u.fired > 0
	switch {
	case !warns.MatchString(u.name):
		return countsNowhere, fmt.Sprintf("the name does not match -warn %q", warns)
	case u.fired > 0 && u.nameless == u.fired:
		return countsNowhere, fmt.Sprintf("the label %q of all episodes (%d) names no %[1]s of the fleet", kind.label, u.fired)
	case kind.bySeverity && u.severity == "" && !dynamic:
		return countsInEpisodes, "without a severity; critical or warning is needed"
	case kind.bySeverity && !dynamic && !isScored(u.severity):
		return countsInEpisodes, fmt.Sprintf("the severity %q is neither critical nor warning", u.severity)
	case kind.bySeverity && u.fired > 0 && u.nameless+u.unscored == u.fired:
		return countsInEpisodes, fmt.Sprintf("the severity of all episodes (%d) is neither critical nor warning", u.fired)
	case u.fired == 0:
		return counts, "never fired"
	case u.nameless > 0:
		return counts, fmt.Sprintf("except %d of %d episodes, whose label %q names no %[3]s of the fleet", u.nameless, u.fired, kind.label)
	case kind.bySeverity && u.unscored > 0:
		return counts, fmt.Sprintf("except %d of %d episodes, whose severity is neither critical nor warning", u.unscored, u.fired)
	}
	return counts, ""
}

// printCounted lists which alert rules of a rule set are judged, and why others are not. It reports whether any is.
func printCounted(w io.Writer, set string, uses []alertUse, warns *regexp.Regexp, kind fleetKind) bool {
	type group struct {
		why   string
		names []string
	}
	groups := make([][]group, 3)
	for _, u := range uses {
		where, why := u.verdict(warns, kind)
		i := slices.IndexFunc(groups[where], func(g group) bool { return g.why == why })
		if i < 0 {
			i = len(groups[where])
			groups[where] = append(groups[where], group{why: why})
		}
		if g := &groups[where][i]; !slices.Contains(g.names, u.name) {
			g.names = append(g.names, u.name)
		}
	}
	fmt.Fprintf(w, "\nAlerts of %s\n", set)
	if len(groups[counts]) == 0 {
		fmt.Fprintln(w, "  counted: none")
	}
	for where, title := range []string{"counted", "counted only as episodes", "not counted"} {
		// Those without a remark come first.
		slices.SortStableFunc(groups[where], func(a, b group) int { return cmp.Compare(min(1, len(a.why)), min(1, len(b.why))) })
		for _, g := range groups[where] {
			if g.why != "" {
				g.why = " (" + g.why + ")"
			}
			fmt.Fprintf(w, "  %s%s: %s\n", title, g.why, strings.Join(g.names, ", "))
		}
	}
	return len(groups[counts]) > 0
}
