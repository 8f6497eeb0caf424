/** Flags whose names contain the name of the system. They are the same in all vocabularies. */
export const apiFlags = {
  qps: 'orch-api-qps',
  burst: 'orch-api-burst',
  contentType: 'orch-api-content-type',
} as const
