/** A name that carries the brand, in the spelling of either vocabulary. For types alone. */
export type Spelled<T> = T extends `${infer Before}{api}${infer After}`
  ? `${Before}.k8s.io${After}` | `${Before}.orch.io${After}`
  : T extends `${infer Before}{agent}${infer After}`
    ? `${Before}kubelet${After}` | `${Before}nodeagent${After}`
    : T extends `${infer Before}{system}Proxy${infer After}`
      ? `${Before}kubeProxy${After}` | `${Before}orchProxy${After}`
      : T
