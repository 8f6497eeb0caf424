import {
  elementText,
  keyElement,
  type KeyValue,
  type PathElement,
  shownValue,
  valueElement,
} from './field-path.ts'
import { hasMembers, isObject, type JsonObject } from './json-value.ts'
import type { KeyField, ListTopology, MapTopology, Topology } from '../notation/topology.ts'

/** A value that does not fit its topology; the message has one line for each fault when there are several. */
export class TypedValueError extends Error {
  override readonly name = 'TypedValueError'

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? faults[0] : `errors:\n${faults.map((f) => `  ${f}`).join('\n')}`)
  }
}

/** One item of a list that is not atomic. */
export interface Item {
  readonly element: PathElement
  readonly value: unknown
}

/**
 * The items of a list with the steps to them. Of items with the same step the first counts; this and items without a
 * step are reported to `fault`.
 */
export function itemsOf(
  topology: ListTopology,
  list: readonly unknown[],
  fault: (text: string) => void,
): ReadonlyMap<string, Item> {
  const items = new Map<string, Item>()
  for (const [i, value] of list.entries()) {
    const element = stepOf(topology, value)
    const isElement = typeof element !== 'string'
    if (isElement && !items.has(element.text)) {
      items.set(element.text, { element, value })
      continue
    }
    if (isElement) fault(`duplicate entries for key ${elementText(element)}`)
    else fault(`element ${i}: ${element}`)
  }
  return items
}

/** The step to an item of a list that is not atomic, or why there is none. */
export const stepOf = ({ relation, keys }: ListTopology, item: unknown): PathElement | string =>
  relation === 'set' ? valueOf(item) : keyOf(keys, item)

/** Items up to which lists are walked in pairs, and searched for duplicates one by one. */
const SHORT = 16

/** The steps to the items of the list that is being looked at; one for all, so that nothing is allocated. */
const met: PathElement[] = []

/**
 * Whether two short lists have the same steps in the same order, each once: then they can be walked side by side. False
 * says nothing about the lists.
 */
export function isPaired(
  topology: ListTopology,
  a: readonly unknown[],
  b: readonly unknown[],
): boolean {
  if (a.length !== b.length || a.length > SHORT || !isDistinct(topology, a)) return false
  for (let i = 0; i < a.length; i++) {
    const left = stepOf(topology, a[i])
    const right = stepOf(topology, b[i])
    if (left === right) continue
    if (typeof left === 'string' || typeof right === 'string' || left.text !== right.text)
      return false
  }
  return true
}

/** Whether each item of a list has a step of its own. */
function isDistinct(topology: ListTopology, list: readonly unknown[]): boolean {
  if (list.length > SHORT) return itemsOf(topology, list, NOBODY).size === list.length
  for (let i = 0; i < list.length; i++) {
    const element = stepOf(topology, list[i])
    if (typeof element === 'string') return false
    for (let j = 0; j < i; j++) if (met[j]!.text === element.text) return false
    met[i] = element
  }
  return true
}

/** The step to an item of a set, or why there is none. */
function valueOf(item: unknown): PathElement | string {
  if (item === null) return "associative list without keys has an element that's an explicit null"
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements'
  if (isObject(item)) return "associative list without keys has an element that's a map type"
  return valueElement(item)
}

/** The step to an item of a keyed list, or why there is none. */
function keyOf(keys: readonly KeyField[], item: unknown): PathElement | string {
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isObject(item)) return 'associative list with keys may not have non-map elements'
  let node = firstNode(keys)
  for (const { name, standard } of keys) {
    const value = Object.hasOwn(item, name) ? item[name] : standard
    if (value === undefined) {
      return `associative list with keys has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`
    }
    node &&= nextNode(node, value)
  }
  if (node) return (node.element ??= keyElement(keyValues(keys, item)))
  return keyElement(keyValues(keys, item))
}

const keyValues = (keys: readonly KeyField[], item: JsonObject): KeyValue[] =>
  keys.map(({ name, standard }) => [name, Object.hasOwn(item, name) ? item[name] : standard])

/** Steps that lead to items, by the values of their key fields one after the other. */
interface KeyNode {
  element: PathElement | null
  readonly next: Map<unknown, KeyNode>
}

/** Steps in use: items of most objects have the same few names and ports. */
let nodes = new WeakMap<readonly KeyField[], KeyNode>()
let nodeCount = 0
const MOST_NODES = 4096
const LONGEST_KEY = 128

function firstNode(keys: readonly KeyField[]): KeyNode | null {
  // Values of users come and go, and those that are in use are back at once.
  if (nodeCount > MOST_NODES) {
    nodes = new WeakMap()
    nodeCount = 0
  }
  let node = nodes.get(keys)
  if (!node) nodes.set(keys, (node = { element: null, next: new Map() }))
  return node
}

/** null: steps with such a value are not kept. */
function nextNode(node: KeyNode, value: unknown): KeyNode | null {
  const found = node.next.get(value)
  if (found) return found
  const isShort = typeof value === 'string' && value.length <= LONGEST_KEY
  if (!isShort && typeof value !== 'number' && typeof value !== 'boolean') return null
  const made: KeyNode = { element: null, next: new Map() }
  node.next.set(value, made)
  nodeCount++
  return made
}

/** The topology of one key of an object; null: the key is not declared. */
export const memberTopology = (topology: MapTopology, key: string): Topology | null =>
  (topology.fields.get(key)?.of ?? topology.rest)?.() ?? null

/** An object that has members. */
export const filledObject = (value: unknown): value is JsonObject =>
  isObject(value) && hasMembers(value)

/** A list that has items. */
export const filledList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > 0

/** All faults of a value, with their paths; none when it fits. */
export function faultsOf(topology: Topology, value: unknown): readonly string[] {
  // Most values fit, which is seen without their paths.
  if (fits(topology, value)) return []
  const faults: string[] = []
  check(topology, value, '', faults)
  return faults
}

/** Throws TypedValueError when a value does not fit its topology. */
export function checkTyped(topology: Topology, value: unknown): void {
  const faults = faultsOf(topology, value)
  if (faults.length > 0) throw new TypedValueError(faults)
}

/** Whether a value has no faults. */
function fits(topology: Topology, value: unknown): boolean {
  if (value === null || topology.is === 'deduced') return true
  switch (topology.is) {
    case 'scalar':
      return fitsScalar(topology.of, value)
    case 'list': {
      if (!Array.isArray(value)) return false
      const of = topology.of()
      for (const item of value) if (!fits(of, item)) return false
      return topology.relation === 'atomic' || isDistinct(topology, value)
    }
    case 'map':
      if (!isObject(value)) return false
      for (const key in value) {
        const of = memberTopology(topology, key)
        if (!of || !fits(of, value[key])) return false
      }
      return true
  }
}

const NOBODY = () => {}

function check(topology: Topology, value: unknown, path: string, faults: string[]): void {
  if (value === null || topology.is === 'deduced') return
  const fault = (text: string) => void faults.push(path === '' ? text : `${path}: ${text}`)
  switch (topology.is) {
    case 'scalar':
      if (!fitsScalar(topology.of, value)) {
        fault(`expected ${SCALAR_NAMES[topology.of]}, got ${shownValue(value)}`)
      }
      return
    case 'list': {
      if (!Array.isArray(value)) return fault(`expected list, got ${shownValue(value)}`)
      if (topology.relation === 'atomic') {
        value.forEach((item, i) => check(topology.of(), item, `${path}[${i}]`, faults))
        return
      }
      for (const { element, value: item } of itemsOf(topology, value, fault).values()) {
        check(topology.of(), item, path + elementText(element), faults)
      }
      return
    }
    case 'map':
      if (!isObject(value)) return fault(`expected map, got ${shownValue(value)}`)
      for (const [key, member] of Object.entries(value)) {
        const of = memberTopology(topology, key)
        if (of) check(of, member, `${path}.${key}`, faults)
        else faults.push(`${path}.${key}: field not declared in schema`)
      }
  }
}

const SCALAR_NAMES = {
  string: 'string',
  number: 'numeric (int or float)',
  boolean: 'boolean',
  any: 'any scalar',
  whole: 'any value',
} as const

function fitsScalar(of: keyof typeof SCALAR_NAMES, value: unknown): boolean {
  const type = typeof value === 'bigint' ? 'number' : typeof value
  if (of === 'whole') return true
  return of === 'any' ? type !== 'object' : type === of
}
