// A test suite as operators have it: the Go client against a control plane that is started and stopped like test
// environments do. Run by run.sh; the argument is the directory of the programs.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

type test struct {
	name string
	run  func(context.Context, *suite) error
}

var tests = []test{
	{"an informer sees what is created, changed and deleted, and what was there before", informers},
	{"an informer over several pages, and a list of one", pages},
	{"one of two candidates leads, and the other follows it", election},
	{"a controller reconciles objects with owners, and repairs them", controller},
	{"a custom kind: definition, discovery, dynamic informer, status, defaults", customKind},
	{"patches: JSON, merge, strategic merge, apply, with their conflicts", patches},
	{"a user without permissions is refused, and gets what a role grants", access},
	{"a token of a service account, and its review", tokens},
	{"events, evictions and other sub-resources", subResources},
	{"deleted namespaces stay, as in the original", namespaces},
	{"objects outlive a restart, and informers go on", restart},
}

func main() {
	// Informers log the end of their watches at the restart.
	klog.SetOutput(os.Stderr)
	if err := runAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runAll(assets string) error {
	env, err := newEnvironment(assets)
	if err != nil {
		return err
	}
	defer env.close()
	etcd, err := env.startEtcd()
	if err != nil {
		return err
	}
	apiserver, err := env.startAPIServer()
	if err != nil {
		return err
	}
	fmt.Printf("etcd ready after %v, the API server after %v\n", etcd.Round(time.Millisecond), apiserver.Round(time.Millisecond))
	config, err := env.config("admin", "system:masters")
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	failed := 0
	for _, test := range tests {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		started := time.Now()
		err := test.run(ctx, &suite{env: env, config: config, client: client})
		cancel()
		took := time.Since(started).Round(time.Millisecond)
		if err == nil {
			fmt.Printf("ok    %s (%v)\n", test.name, took)
			continue
		}
		failed++
		fmt.Printf("FAIL  %s (%v): %v\n", test.name, took, err)
	}
	stopped, err := stop(env.apiserver)
	if err != nil {
		return err
	}
	env.apiserver = nil
	fmt.Printf("the API server ended after %v\n", stopped.Round(time.Millisecond))
	fmt.Printf("%d passed, %d failed\n", len(tests)-failed, failed)
	if failed > 0 {
		return fmt.Errorf("%d of %d failed", failed, len(tests))
	}
	return nil
}
