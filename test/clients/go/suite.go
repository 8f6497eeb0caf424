package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
)

type suite struct {
	env    *environment
	config *rest.Config
	client kubernetes.Interface
}

// namespace makes one for a test.
func (s *suite) namespace(ctx context.Context, name string) (string, error) {
	_, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}, metav1.CreateOptions{})
	return name, err
}

// eventually waits until the condition holds.
func eventually(ctx context.Context, what string, holds func() (bool, error)) error {
	for {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not in time: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func informers(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "informers")
	if err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	if _, err := maps.Create(ctx, configMap("before", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := kubeinformers.NewSharedInformerFactoryWithOptions(s.client, time.Minute, kubeinformers.WithNamespace(ns))
	informer := factory.Core().V1().ConfigMaps()
	seen := make(chan string, 100)
	informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) { seen <- "added " + obj.(*corev1.ConfigMap).Name },
		UpdateFunc: func(_, obj interface{}) {
			seen <- "changed " + obj.(*corev1.ConfigMap).Name + " " + obj.(*corev1.ConfigMap).Data["a"]
		},
		DeleteFunc: func(obj interface{}) { seen <- "deleted " + obj.(*corev1.ConfigMap).Name },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	created, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data = map[string]string{"a": "1"}
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	stale := created.DeepCopy()
	stale.Data["a"] = "2"
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("an update of an old version: %v", err)
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, expected := range []string{"added before", "added after", "changed after 1", "deleted after"} {
		select {
		case event := <-seen:
			if event != expected {
				return fmt.Errorf("%q instead of %q", event, expected)
			}
		case <-ctx.Done():
			return fmt.Errorf("no event %q", expected)
		}
	}
	listed, err := informer.Lister().ConfigMaps(ns).Get("before")
	if err != nil || listed.Name != "before" {
		return fmt.Errorf("lister: %v, %v", listed, err)
	}
	return nil
}

func pages(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "pages")
	if err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	for i := 0; i < 25; i++ {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("m%02d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	first, err := maps.List(ctx, metav1.ListOptions{Limit: 10})
	if err != nil || len(first.Items) != 10 || first.Continue == "" || *first.RemainingItemCount != 15 {
		return fmt.Errorf("first page: %d, %v", len(first.Items), err)
	}
	var calls, items int
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		calls++
		return maps.List(ctx, options)
	})
	list.PageSize = 10
	err = list.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error { items++; return nil })
	if err != nil || calls != 3 || items != 25 {
		return fmt.Errorf("%d calls, %d items, %v", calls, items, err)
	}
	return maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

func election(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "election")
	if err != nil {
		return err
	}
	leads := make(chan string, 2)
	run := func(ctx context.Context, id string) (chan struct{}, error) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, ns, "leader", s.client.CoreV1(),
			s.client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: id})
		if err != nil {
			return nil, err
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 50 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- id },
				OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			return nil, err
		}
		ended := make(chan struct{})
		go func() { elector.Run(ctx); close(ended) }()
		return ended, nil
	}
	firstCtx, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	firstEnded, err := run(firstCtx, "first")
	if err != nil {
		return err
	}
	if id := <-leads; id != "first" {
		return fmt.Errorf("%s leads", id)
	}
	secondCtx, stopSecond := context.WithCancel(ctx)
	secondEnded, err := run(secondCtx, "second")
	if err != nil {
		stopSecond()
		return err
	}
	stopFirst()
	<-firstEnded
	select {
	case id := <-leads:
		if id != "second" {
			err = fmt.Errorf("%s leads", id)
		}
	case <-ctx.Done():
		err = fmt.Errorf("nobody follows")
	}
	stopSecond()
	<-secondEnded
	return err
}

// controller makes a secret for each config map that has a label, and makes it again when it is gone.
func controller(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "controller")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := kubeinformers.NewSharedInformerFactoryWithOptions(s.client, 0, kubeinformers.WithNamespace(ns))
	maps, secrets := factory.Core().V1().ConfigMaps(), factory.Core().V1().Secrets()
	queue := workqueue.NewRateLimitingQueue(workqueue.DefaultControllerRateLimiter())
	defer queue.ShutDown()
	enqueue := func(obj interface{}) {
		if object, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
			queue.Add(object)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, DeleteFunc: enqueue, UpdateFunc: func(_, obj interface{}) { enqueue(obj) },
	}
	maps.Informer().AddEventHandler(handler)
	secrets.Informer().AddEventHandler(handler)
	var made int32
	reconcile := func(key string) error {
		_, name, err := cache.SplitMetaNamespaceKey(key)
		if err != nil {
			return err
		}
		owner, err := maps.Lister().ConfigMaps(ns).Get(name)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = s.client.CoreV1().Secrets(ns).Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap")),
			}},
			StringData: owner.Data,
		}, metav1.CreateOptions{})
		if err == nil {
			atomic.AddInt32(&made, 1)
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			live, err := s.client.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
			if err != nil || live.Annotations["reconciled"] == "true" {
				return err
			}
			metav1.SetMetaDataAnnotation(&live.ObjectMeta, "reconciled", "true")
			_, err = s.client.CoreV1().ConfigMaps(ns).Update(ctx, live, metav1.UpdateOptions{})
			return err
		})
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for i := 0; i < 2; i++ {
		go func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				if err := reconcile(key.(string)); err != nil {
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		}()
	}
	for i := 0; i < 20; i++ {
		object := configMap(fmt.Sprintf("object-%d", i), map[string]string{"n": fmt.Sprint(i)})
		if _, err := s.client.CoreV1().ConfigMaps(ns).Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	count := func(expected int) func() (bool, error) {
		return func() (bool, error) {
			list, err := s.client.CoreV1().Secrets(ns).List(ctx, metav1.ListOptions{})
			return err == nil && len(list.Items) == expected, err
		}
	}
	if err := eventually(ctx, "20 secrets", count(20)); err != nil {
		return err
	}
	if err := s.client.CoreV1().Secrets(ns).Delete(ctx, "object-7", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the deleted secret again", func() (bool, error) { return atomic.LoadInt32(&made) == 21, nil })
}

func customKind(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "custom")
	if err != nil {
		return err
	}
	extensions, err := apiextensions.NewForConfig(s.config)
	if err != nil {
		return err
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	size := apiextensionsv1.JSONSchemaProps{Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("3")}}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	schemaProps := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec":   object(map[string]apiextensionsv1.JSONSchemaProps{"size": size}),
		"status": object(map[string]apiextensionsv1.JSONSchemaProps{"phase": text}),
	})
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "boats.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Singular: "boat", Kind: "Boat", ListKind: "BoatList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schemaProps},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
	if _, err := extensions.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	found := func() (bool, error) {
		list, err := s.client.Discovery().ServerResourcesForGroupVersion("example.com/v1")
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil && len(list.APIResources) == 2, err
	}
	if err := eventually(ctx, "the kind in discovery", found); err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.client.Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Boat"})
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(s.config)
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, ns, nil)
	informer := factory.ForResource(mapping.Resource)
	factory.Start(ctx.Done())
	boats := client.Resource(mapping.Resource).Namespace(ns)
	boat := &unstructured.Unstructured{Object: map[string]interface{}{
		"apiVersion": "example.com/v1", "kind": "Boat",
		"metadata": map[string]interface{}{"name": "ada"}, "spec": map[string]interface{}{},
	}}
	made, err := boats.Create(ctx, boat, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if length, _, _ := unstructured.NestedInt64(made.Object, "spec", "size"); length != 3 {
		return fmt.Errorf("the default is %v", made.Object)
	}
	if err := unstructured.SetNestedField(made.Object, "Afloat", "status", "phase"); err != nil {
		return err
	}
	if _, err := boats.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	wrong := boat.DeepCopy()
	wrong.SetName("wrong")
	wrong.Object["spec"] = map[string]interface{}{"size": "large"}
	if _, err := boats.Create(ctx, wrong, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		return fmt.Errorf("a wrong object: %v", err)
	}
	return eventually(ctx, "the status in the informer", func() (bool, error) {
		object, err := informer.Lister().ByNamespace(ns).Get("ada")
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		phase, _, err := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "status", "phase")
		return phase == "Afloat", err
	})
}

func patches(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "patches")
	if err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	if _, err := maps.Create(ctx, configMap("a", map[string]string{"a": "0", "b": "0"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	force := true
	for _, step := range []struct {
		kind    types.PatchType
		body    string
		options metav1.PatchOptions
	}{
		{types.JSONPatchType, `[{"op":"replace","path":"/data/a","value":"1"}]`, metav1.PatchOptions{}},
		{types.MergePatchType, `{"data":{"b":null,"c":"2"}}`, metav1.PatchOptions{}},
		{types.StrategicMergePatchType, `{"data":{"d":"3"}}`, metav1.PatchOptions{}},
		{types.ApplyPatchType, `{"apiVersion":"v1","kind":"ConfigMap","data":{"e":"4"}}`, metav1.PatchOptions{FieldManager: "one"}},
		{types.ApplyPatchType, `{"apiVersion":"v1","kind":"ConfigMap","data":{"e":"5"}}`, metav1.PatchOptions{FieldManager: "two", Force: &force}},
	} {
		if _, err := maps.Patch(ctx, "a", step.kind, []byte(step.body), step.options); err != nil {
			return fmt.Errorf("%s: %w", step.kind, err)
		}
	}
	body := []byte(`{"apiVersion":"v1","kind":"ConfigMap","data":{"e":"6"}}`)
	_, err = maps.Patch(ctx, "a", types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "three"})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("an apply of what another owns: %v", err)
	}
	live, err := maps.Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	data, _ := json.Marshal(live.Data)
	if string(data) != `{"a":"1","c":"2","d":"3","e":"5"}` {
		return fmt.Errorf("the data is %s", data)
	}
	return nil
}

func access(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "access")
	if err != nil {
		return err
	}
	config, err := s.env.config("jane", "readers")
	if err != nil {
		return err
	}
	jane, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err := jane.CoreV1().ConfigMaps(ns).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		return fmt.Errorf("without a role: %v", err)
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}},
	}}
	if _, err := s.client.RbacV1().Roles(ns).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "readers"}},
	}
	if _, err := s.client.RbacV1().RoleBindings(ns).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the role is in force", func() (bool, error) {
		_, err := jane.CoreV1().ConfigMaps(ns).List(ctx, metav1.ListOptions{})
		if apierrors.IsForbidden(err) {
			return false, nil
		}
		return err == nil, err
	})
}

func tokens(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "tokens")
	if err != nil {
		return err
	}
	accounts := s.client.CoreV1().ServiceAccounts(ns)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	if _, err := accounts.Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	request, err := accounts.CreateToken(ctx, "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(s.config)
	config.BearerToken = request.Status.Token
	robot, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err := robot.Discovery().ServerVersion(); err != nil {
		return err
	}
	review, err := s.client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if user := review.Status.User.Username; user != "system:serviceaccount:tokens:robot" {
		return fmt.Errorf("the user is %q: %s", user, review.Status.Error)
	}
	return nil
}

func subResources(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "sub")
	if err != nil {
		return err
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	pod, err = s.client.CoreV1().Pods(ns).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	if pod, err = s.client.CoreV1().Pods(ns).UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: s.client.CoreV1().Events(ns)})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "suite"})
	for i := 0; i < 3; i++ {
		recorder.Event(pod, corev1.EventTypeNormal, "Seen", "the pod was seen")
	}
	counted := func() (bool, error) {
		list, err := s.client.CoreV1().Events(ns).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=p"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count == 3, err
	}
	if err := eventually(ctx, "one event, counted three times", counted); err != nil {
		return err
	}
	now := int64(0)
	err = s.client.CoreV1().Pods(ns).Evict(ctx, &policyv1beta1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &now},
	})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(ns).Get(ctx, "p", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("the evicted pod: %v", err)
	}
	return nil
}

func namespaces(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "goes")
	if err != nil {
		return err
	}
	if err := s.client.CoreV1().Namespaces().Delete(ctx, ns, metav1.DeleteOptions{}); err != nil {
		return err
	}
	live, err := s.client.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
	if err != nil || live.Status.Phase != corev1.NamespaceTerminating {
		return fmt.Errorf("%v, %v", live.Status.Phase, err)
	}
	_, err = s.client.CoreV1().ServiceAccounts("sub").Get(ctx, "default", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("the default account: %v", err)
	}
	return nil
}

func restart(ctx context.Context, s *suite) error {
	ns, err := s.namespace(ctx, "restart")
	if err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	before, err := maps.Create(ctx, configMap("before", map[string]string{"a": "1"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	factory := kubeinformers.NewSharedInformerFactoryWithOptions(s.client, 0, kubeinformers.WithNamespace(ns))
	informer := factory.Core().V1().ConfigMaps()
	informer.Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if _, err := stop(s.env.apiserver); err != nil {
		return err
	}
	s.env.apiserver = nil
	if _, err := s.env.startAPIServer(); err != nil {
		return err
	}
	after, err := maps.Get(ctx, "before", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if after.UID != before.UID || after.ResourceVersion != before.ResourceVersion || after.Data["a"] != "1" {
		return fmt.Errorf("%v became %v", before, after)
	}
	if _, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, "the new object in the informer", func() (bool, error) {
		_, err := informer.Lister().ConfigMaps(ns).Get("after")
		return err == nil, nil
	})
}
