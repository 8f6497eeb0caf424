import { counter, histogram, summary } from '../declaration.ts'

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const STEP = ['operation', 'rejected', 'type'] as const

export const admissionStepDuration = histogram(
  'apiserver_admission_step_admission_duration_seconds',
  SECONDS,
  {
    stability: 'STABLE',
    labels: STEP,
    help: 'Time of a phase of admission, by operation and whether it refused the request, in seconds.',
  },
)

export const admissionStepSummary = summary(
  'apiserver_admission_step_admission_duration_seconds_summary',
  {
    labels: STEP,
    help: 'Quantiles of the time of a phase of admission, over the latest 512, in seconds.',
  },
)

export const admissionControllerDuration = histogram(
  'apiserver_admission_controller_admission_duration_seconds',
  SECONDS,
  {
    stability: 'STABLE',
    labels: [...STEP, 'name'],
    help: 'Time of an admission plugin, in seconds.',
  },
)

export const admissionWebhookDuration = histogram(
  'apiserver_admission_webhook_admission_duration_seconds',
  SECONDS,
  {
    stability: 'STABLE',
    labels: [...STEP, 'name'],
    help: 'Time of an admission webhook, in seconds.',
  },
)

export const admissionWebhookRejections = counter('apiserver_admission_webhook_rejection_count', {
  labels: ['error_type', 'name', 'operation', 'rejection_code', 'type'],
  help: 'Requests that an admission webhook, or its failure, refused. Codes above 600 are shown as 600.',
})

export const admissionWebhookFailOpen = counter('apiserver_admission_webhook_fail_open_count', {
  labels: ['name', 'type'],
  help: 'Requests that continued although a webhook failed.',
})

export const admissionWebhookRequests = counter('apiserver_admission_webhook_request_total', {
  labels: ['code', 'name', 'operation', 'rejected', 'type'],
  help: 'Requests to admission webhooks. Codes above 600 are shown as 600.',
})

export const podSecurityEvaluations = counter('pod_security_evaluations_total', {
  labels: [
    ...['decision', 'mode', 'policy_level', 'policy_version', 'request_operation'],
    ...['resource', 'subresource'],
  ] as const,
  help: 'Evaluations of pods and templates by pod security.',
})

export const podSecurityExemptions = counter('pod_security_exemptions_total', {
  labels: ['request_operation', 'resource', 'subresource'],
  help: 'Requests that are exempt from pod security.',
})

const CEL_SECONDS = [1e-5, 1e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1, 5]

export const celCompilation = histogram('apiserver_cel_compilation_duration_seconds', CEL_SECONDS, {
  help: 'Time of the compilation of the rules of a schema, in seconds.',
})

export const celEvaluation = histogram('apiserver_cel_evaluation_duration_seconds', CEL_SECONDS, {
  help: 'Time of the evaluation of all rules for an object, in seconds.',
})
