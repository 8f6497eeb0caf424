import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { orch } from '../../../vocabulary/orch.ts'
import {
  validateObjectFieldSelector,
  validateResourceFieldSelector,
  VOLUME_FIELDS,
} from './pod-fields.ts'

const KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

describe('a field of the pod', () => {
  for (const { name, apiVersion = 'v1', fieldPath, wrong } of [
    { name: 'labels as a whole', fieldPath: 'metadata.labels', wrong: [] },
    { name: 'one annotation, in capitals', fieldPath: "metadata.annotations['A/b']", wrong: [] },
    { name: 'one label', fieldPath: "metadata.labels['a']", wrong: [] },
    {
      name: 'no version',
      apiVersion: '',
      fieldPath: 'metadata.name',
      wrong: ['f.apiVersion: Required value'],
    },
    { name: 'no path', fieldPath: '', wrong: ['f.fieldPath: Required value'] },
    {
      name: 'another version',
      apiVersion: 'v2',
      fieldPath: 'metadata.name',
      wrong: [
        'f.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
      ],
    },
    {
      name: 'a field that pods do not have',
      fieldPath: 'metadata.colour',
      wrong: [
        'f.fieldPath: Invalid value: "metadata.colour": error converting fieldPath: field label not supported: metadata.colour',
      ],
    },
    {
      name: 'a field that is not for here, under its old name',
      fieldPath: 'spec.host',
      wrong: [
        'f.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      ],
    },
    {
      name: 'a subscript where there is none',
      fieldPath: "metadata.name['a']",
      wrong: [
        "f.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript: metadata.name['a']",
      ],
    },
    {
      name: 'a label key that is none',
      fieldPath: "metadata.labels['-']",
      wrong: [`f: Invalid value: "-": name part ${KEY}`],
    },
    {
      name: 'a subscript that does not end',
      fieldPath: "metadata.labels['",
      wrong: [
        'f.fieldPath: Invalid value: "metadata.labels[\'": error converting fieldPath: field label not supported: metadata.labels[\'',
      ],
    },
  ]) {
    test(name, () => {
      const errors = new FieldErrors()
      validateObjectFieldSelector({ apiVersion, fieldPath }, VOLUME_FIELDS, errors.at('f'))
      expect(errors.list.map(({ field, message }) => `${field}: ${message}`)).toEqual(wrong)
    })
  }
})

const READABLE =
  '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"'
const BYTES =
  "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the"

describe('a resource of a container', () => {
  for (const { name, selector, where = 'environment', gates = ['DownwardAPIHugePages'], wrong } of [
    { name: 'cpu', selector: { resource: 'limits.cpu', divisor: '1m' }, wrong: [] },
    { name: 'memory', selector: { resource: 'requests.memory', divisor: '1Mi' }, wrong: [] },
    { name: 'huge pages', selector: { resource: 'limits.hugepages-2Mi', divisor: '0' }, wrong: [] },
    {
      name: 'huge pages without their gate',
      selector: { resource: 'limits.hugepages-2Mi' },
      gates: [],
      wrong: [`resource: Unsupported value: "limits.hugepages-2Mi": supported values: ${READABLE}`],
    },
    {
      name: 'no container in a volume',
      selector: { resource: '' },
      where: 'volume' as const,
      wrong: ['containerName: Required value'],
    },
    { name: 'no resource', selector: { resource: '' }, wrong: ['resource: Required value'] },
    {
      name: 'an unknown resource, whose unit is not looked at',
      selector: { resource: 'limits.pods', divisor: '7' },
      wrong: [`resource: Unsupported value: "limits.pods": supported values: ${READABLE}`],
    },
    {
      name: 'a unit of cpu',
      selector: { resource: 'limits.cpu', divisor: '1k' },
      wrong: [
        'divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      ],
    },
    {
      name: 'a unit of memory',
      selector: { resource: 'limits.memory', divisor: '1m' },
      wrong: [`divisor: Invalid value: "limits.memory": ${BYTES} memory resource`],
    },
    {
      name: 'a unit of local storage',
      selector: { resource: 'requests.ephemeral-storage', divisor: '2' },
      wrong: [
        `divisor: Invalid value: "requests.ephemeral-storage": ${BYTES} local ephemeral storage resource`,
      ],
    },
    {
      name: 'a unit of huge pages',
      selector: { resource: 'limits.hugepages-2Mi', divisor: '2' },
      wrong: [`divisor: Invalid value: "limits.hugepages-2Mi": ${BYTES} hugepages resource`],
    },
  ]) {
    test(name, () => {
      const errors = new FieldErrors()
      const gate = (one: string) => gates.includes(one)
      const c = { v: orch, now: 0, gate }
      validateResourceFieldSelector(selector, errors, c, where)
      expect(errors.list.map(({ field, message }) => `${field}: ${message}`)).toEqual(wrong)
    })
  }
})
