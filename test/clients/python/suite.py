"""What people do with the Python client, against the server of the current configuration. Ends with 1 where one fails."""

import json
import sys
import threading
import time
import traceback

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

SPACE = "default"
CASES = []


def case(run):
    CASES.append(run)
    return run


def refused(status, reason, call):
    try:
        call()
    except ApiException as error:
        body = client.ApiClient().deserialize(Response(error.body), "V1Status")
        assert (error.status, body.reason) == (status, reason), (error.status, body)
        return body
    raise AssertionError(f"not refused: {status} was expected")


class Response:
    """What the client's own reader of responses takes."""

    def __init__(self, data):
        self.data = data


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"of": "suite"}), data=data)


def deployment(name, replicas=2):
    container = client.V1Container(
        name="c", image="image:1", resources=client.V1ResourceRequirements(limits={"cpu": "500m"})
    )
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": name}), spec=client.V1PodSpec(containers=[container])
    )
    return client.V1Deployment(
        api_version="apps/v1",
        kind="Deployment",
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(
            replicas=replicas, selector=client.V1LabelSelector(match_labels={"app": name}), template=template
        ),
    )


@case
def versions_and_discovery():
    version = client.VersionApi().get_code()
    assert (version.major, version.minor) == ("1", "25"), version
    groups = {group.name for group in client.ApisApi().get_api_versions().groups}
    assert {"apps", "batch", "rbac.authorization.k8s.io", "coordination.k8s.io"} <= groups, groups
    names = {one.name for one in client.CoreV1Api().get_api_resources().resources}
    assert {"pods", "pods/status", "configmaps"} <= names, names


@case
def objects_and_their_errors():
    core = client.CoreV1Api()
    made = core.create_namespaced_config_map(SPACE, config_map("one", a="1"))
    assert made.metadata.uid and made.data == {"a": "1"}, made
    refused(409, "AlreadyExists", lambda: core.create_namespaced_config_map(SPACE, config_map("one")))
    refused(404, "NotFound", lambda: core.read_namespaced_config_map("none", SPACE))
    status = refused(422, "Invalid", lambda: core.create_namespaced_config_map(SPACE, config_map("No")))
    assert status.details.causes[0].field == "metadata.name", status
    made.data["a"] = "2"
    newer = core.replace_namespaced_config_map("one", SPACE, made)
    made.data["a"] = "3"
    refused(409, "Conflict", lambda: core.replace_namespaced_config_map("one", SPACE, made))
    assert core.read_namespaced_config_map("one", SPACE).metadata.resource_version == newer.metadata.resource_version
    core.create_namespaced_config_map(SPACE, config_map("dry"), dry_run="All")
    refused(404, "NotFound", lambda: core.read_namespaced_config_map("dry", SPACE))
    assert core.delete_namespaced_config_map("one", SPACE).status == "Success"


@case
def lists_in_chunks_and_selectors():
    core = client.CoreV1Api()
    for i in range(7):
        core.create_namespaced_config_map(SPACE, config_map(f"list-{i}", n=str(i)))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(SPACE, limit=3, _continue=token, label_selector="of=suite")
        names += [one.metadata.name for one in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"list-{i}" for i in range(7)], names
    found = core.list_config_map_for_all_namespaces(field_selector="metadata.name=list-3").items
    assert [one.data for one in found] == [{"n": "3"}], found
    core.delete_collection_namespaced_config_map(SPACE, label_selector="of=suite")
    assert core.list_namespaced_config_map(SPACE, label_selector="of=suite").items == []


@case
def watches():
    core = client.CoreV1Api()
    begin = core.list_namespaced_config_map(SPACE).metadata.resource_version
    core.create_namespaced_config_map(SPACE, config_map("seen", a="1"))
    core.patch_namespaced_config_map("seen", SPACE, {"data": {"a": "2"}})
    core.delete_namespaced_config_map("seen", SPACE)
    watcher, seen = watch.Watch(), []
    for event in watcher.stream(
        core.list_namespaced_config_map, SPACE, resource_version=begin, label_selector="of=suite", timeout_seconds=20
    ):
        seen.append((event["type"], event["object"].data["a"]))
        if event["type"] == "DELETED":
            watcher.stop()
    assert seen == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")], seen
    try:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, SPACE, resource_version="1", timeout_seconds=1):
            pass
    except ApiException as error:
        assert error.status == 410, error


@case
def patches():
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(SPACE, deployment("web"))
    image = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "image:2"}]}}}}
    strategic = apps.patch_namespaced_deployment("web", SPACE, image)
    assert strategic.spec.template.spec.containers[0].image == "image:2"
    assert strategic.spec.template.spec.containers[0].resources.limits == {"cpu": "500m"}
    steps = [{"op": "replace", "path": "/spec/replicas", "value": 5}]
    assert apps.patch_namespaced_deployment("web", SPACE, steps).spec.replicas == 5
    assert apps.patch_namespaced_deployment_scale("web", SPACE, {"spec": {"replicas": 1}}).spec.replicas == 1
    status = apps.patch_namespaced_deployment_status("web", SPACE, {"status": {"replicas": 1}})
    assert status.status.replicas == 1 and status.metadata.generation == 4, status.metadata


@case
def applies_with_the_dynamic_client():
    api = dynamic.DynamicClient(client.ApiClient())
    maps = api.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}

    def apply(manager, data):
        # As a text: this release of the client refuses to write a dictionary as YAML.
        return maps.patch(
            body=json.dumps({**body, "data": data}),
            name="applied",
            namespace=SPACE,
            content_type="application/apply-patch+yaml",
            field_manager=manager,
        )

    assert apply("one", {"a": "1", "b": "1"}).to_dict()["data"] == {"a": "1", "b": "1"}
    try:
        apply("two", {"a": "2"})
        raise AssertionError("no conflict")
    except dynamic.exceptions.ConflictError as error:
        assert b'conflict with \\"one\\"' in error.body, error.body
    assert apply("one", {"a": "1"}).to_dict()["data"] == {"a": "1"}
    assert len(maps.get(name="applied", namespace=SPACE).metadata.managedFields) == 1


@case
def custom_kinds():
    names = client.V1CustomResourceDefinitionNames(plural="cats", singular="cat", kind="Cat", list_kind="CatList")
    schema = client.V1JSONSchemaProps(
        type="object",
        properties={"spec": client.V1JSONSchemaProps(type="object", properties={"age": client.V1JSONSchemaProps(type="integer", minimum=0)})},
    )
    version = client.V1CustomResourceDefinitionVersion(
        name="v1", served=True, storage=True, schema=client.V1CustomResourceValidation(open_apiv3_schema=schema)
    )
    definitions = client.ApiextensionsV1Api()
    definitions.create_custom_resource_definition(
        client.V1CustomResourceDefinition(
            api_version="apiextensions.k8s.io/v1",
            kind="CustomResourceDefinition",
            metadata=client.V1ObjectMeta(name="cats.example.com"),
            spec=client.V1CustomResourceDefinitionSpec(
                group="example.com", names=names, scope="Namespaced", versions=[version]
            ),
        )
    )
    until(lambda: any(c.type == "Established" and c.status == "True" for c in definitions.read_custom_resource_definition("cats.example.com").status.conditions or []))
    cats = client.CustomObjectsApi()
    place = ("example.com", "v1", SPACE, "cats")
    cat = {"apiVersion": "example.com/v1", "kind": "Cat", "metadata": {"name": "tom"}, "spec": {"age": 3}}
    assert cats.create_namespaced_custom_object(*place, cat)["spec"] == {"age": 3}
    assert cats.patch_namespaced_custom_object(*place, "tom", {"spec": {"age": 4}})["spec"] == {"age": 4}
    status = refused(422, "Invalid", lambda: cats.patch_namespaced_custom_object(*place, "tom", {"spec": {"age": -1}}))
    assert status.details.causes[0].field == "spec.age", status
    assert [one["metadata"]["name"] for one in cats.list_namespaced_custom_object(*place)["items"]] == ["tom"]


@case
def roles_and_tokens():
    core, rbac = client.CoreV1Api(), client.RbacAuthorizationV1Api()
    core.create_namespaced_service_account(SPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    rule = client.V1PolicyRule(api_groups=[""], resources=["configmaps"], verbs=["list"])
    rbac.create_namespaced_role(SPACE, client.V1Role(metadata=client.V1ObjectMeta(name="reader"), rules=[rule]))
    rbac.create_namespaced_role_binding(
        SPACE,
        {
            "metadata": {"name": "robot"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
            "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": SPACE}],
        },
    )
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": None}}
    token = client.ApiClient().call_api(
        f"/api/v1/namespaces/{SPACE}/serviceaccounts/robot/token",
        "POST",
        body=asked,
        header_params={"Content-Type": "application/json"},
        auth_settings=["BearerToken"],
        response_type="object",
        _return_http_data_only=True,
    )["status"]["token"]
    mine = client.Configuration.get_default_copy()
    mine.cert_file = mine.key_file = None
    mine.api_key = {"authorization": f"Bearer {token}"}
    robot = client.CoreV1Api(client.ApiClient(mine))
    until(lambda: allowed(lambda: robot.list_namespaced_config_map(SPACE)))
    refused(403, "Forbidden", lambda: robot.list_namespaced_secret(SPACE))


def allowed(call):
    try:
        call()
        return True
    except ApiException as error:
        assert error.status == 403, error
        return False


@case
def leader_election():
    led, order = threading.Event(), []

    def run(name):
        def lead():
            order.append(name)
            led.set()

        lock = ConfigMapLock("leader", SPACE, name)
        settings = electionconfig.Config(
            lock, lease_duration=4, renew_deadline=3, retry_period=1, onstarted_leading=lead, onstopped_leading=None
        )
        threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()

    run("first")
    assert led.wait(20)
    run("second")
    core = client.CoreV1Api()
    record = lambda: core.read_namespaced_config_map("leader", SPACE)  # noqa: E731
    before = record().metadata.resource_version
    until(lambda: record().metadata.resource_version != before)
    assert order == ["first"], order
    assert '"first"' in record().metadata.annotations["control-plane.alpha.kubernetes.io/leader"]


@case
def leases():
    api = client.CoordinationV1Api()
    now = "2026-01-02T03:04:05.678901Z"
    body = {"metadata": {"name": "lease"}, "spec": {"holderIdentity": "me", "renewTime": now}}
    made = api.create_namespaced_lease(SPACE, body)
    assert made.spec.renew_time.microsecond == 678901, made.spec


@case
def evictions_and_nodes():
    core, policy = client.CoreV1Api(), client.PolicyV1Api()
    pod = {"metadata": {"name": "p", "labels": {"app": "p"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    until(lambda: core.list_namespaced_service_account(SPACE, field_selector="metadata.name=default").items)
    core.create_namespaced_pod(SPACE, pod)
    core.create_namespaced_pod_binding(
        "p",
        SPACE,
        client.V1Binding(
            metadata=client.V1ObjectMeta(name="p"), target=client.V1ObjectReference(kind="Node", name="n")
        ),
        # It reads the answer as a binding, which it is not.
        _preload_content=False,
    )
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "p"}}}}
    policy.create_namespaced_pod_disruption_budget(SPACE, budget)
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="p", namespace=SPACE))
    core.patch_namespaced_pod_status("p", SPACE, {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    refused(429, "TooManyRequests", lambda: core.create_namespaced_pod_eviction("p", SPACE, eviction))
    policy.delete_namespaced_pod_disruption_budget("b", SPACE)
    core.create_namespaced_pod_eviction("p", SPACE, eviction)
    assert core.read_namespaced_pod("p", SPACE).metadata.deletion_timestamp


def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def main():
    config.load_kube_config()
    failed = 0
    for run in CASES:
        try:
            run()
            print(f"ok      {run.__name__}")
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED  {run.__name__}\n{traceback.format_exc()}")
    sys.exit(1 if failed else 0)


main()
