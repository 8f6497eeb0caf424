import { Fault } from '../base/faults.ts'

type Labels = Readonly<Record<string, string>>

/** A test of labels against a selector: `a=1,b!=2,c in (3,4),!d`. Throws for text that is none. */
export function labelMatcher(text: string): (labels: Labels) => boolean {
  const tests = requirements(text).map(testOf)
  return (labels) => tests.every((test) => test(labels))
}

function requirements(text: string): string[] {
  return (text.match(/(?:[^,(]|\([^)]*\))+/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function testOf(text: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text)
  if (set) {
    const [, key = '', op, list = ''] = set
    const values = list.split(',').map((value) => value.trim())
    return op === 'in'
      ? (labels) => Object.hasOwn(labels, key) && values.includes(labels[key]!)
      : (labels) => !Object.hasOwn(labels, key) || !values.includes(labels[key]!)
  }
  const [, key = '', op, value = ''] = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(text) ?? []
  if (op !== undefined) {
    const isEqual = (labels: Labels) => Object.hasOwn(labels, key) && labels[key] === value
    return op === '!=' ? (labels) => !isEqual(labels) : isEqual
  }
  const [, not, name] = /^(!?)\s*([\w./-]+)$/.exec(text) ?? []
  if (name === undefined)
    throw new Fault(`error: unable to parse requirement: ${JSON.stringify(text)} is not a selector`)
  return not === '!'
    ? (labels) => !Object.hasOwn(labels, name)
    : (labels) => Object.hasOwn(labels, name)
}

/** The selector for labels. */
export const selectorText = (labels: Labels): string =>
  Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(',')
