package main

import (
	"bytes"
	"errors"
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
	spec, err := specOf(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if spec != nil {
		text, place = spec, file+", in spec (formatted again)"
	}
	gs, errs := rulefmt.Parse(text, false, model.UTF8Validation, prom, slog.New(slog.DiscardHandler))
	if errs != nil {
		return nil, fmt.Errorf("%s: %w", place, errs[0])
	}
	return gs, nil
}

// specOf returns the `spec` of a PrometheusRule, which has the form of a rule file, and nil if the text is something else.
func specOf(text []byte) ([]byte, error) {
	var resource struct {
		Kind string
		Spec yaml.Node
	}
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if documents.Decode(&resource) != nil || resource.Kind == "" {
		return nil, nil
	}
	if resource.Kind != "PrometheusRule" {
		return nil, fmt.Errorf("kind %q, wanted a rule file or a PrometheusRule", resource.Kind)
	}
	if documents.Decode(new(yaml.Node)) == nil {
		return nil, errors.New("more than one YAML document, wanted a single PrometheusRule")
	}
	var spec bytes.Buffer
	encoder := yaml.NewEncoder(&spec)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(&resource.Spec), encoder.Close()); err != nil {
		return nil, err
	}
	return spec.Bytes(), nil
}
