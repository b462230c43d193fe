package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"go.yaml.in/yaml/v3"
)

// loadRules reads a rule file, or the rules of a PrometheusRule. Its error names the file once.
func loadRules(file string) (*rulefmt.RuleGroups, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	place := file
	if spec, ok := specOf(text); ok {
		text, place = spec, file+", in spec (formatted again)"
	}
	gs, errs := rulefmt.Parse(text, false, model.UTF8Validation, prom, slog.New(slog.DiscardHandler))
	if errs != nil {
		return nil, fmt.Errorf("%s: %w", place, errs[0])
	}
	return gs, nil
}

// specOf returns the `spec` of a PrometheusRule, which has the form of a rule file.
func specOf(text []byte) (spec []byte, ok bool) {
	var resource struct {
		Kind string
		Spec yaml.Node
	}
	if yaml.Unmarshal(text, &resource) != nil || resource.Kind != "PrometheusRule" || resource.Spec.IsZero() {
		return nil, false
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if encoder.Encode(&resource.Spec) != nil || encoder.Close() != nil {
		return nil, false
	}
	return out.Bytes(), true
}
