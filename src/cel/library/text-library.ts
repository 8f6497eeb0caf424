/** Functions of texts. */
import {
  type CostRule,
  eachItem,
  patternFind,
  PER_CHARACTER,
  plus,
  type Range,
  share,
  shortening,
  times,
  traversal,
} from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { type FunctionDeclaration, global, member } from '../function-declaration.ts'
import type { Int } from '../numbers.ts'
import { findAllPattern, findPattern } from '../pattern.ts'
import * as texts from '../text-functions.ts'
import { DYN, INT, listOf, STRING } from '../type.ts'
import { sizeOf } from '../values.ts'
import { formatText } from './format-text.ts'

const TWICE = 2 * PER_CHARACTER

/** Replaces parts: the cost is that of reading and of writing. */
const replacement: CostRule = {
  estimate: ([text, part, by]) => ({
    cost: share(text!.size, TWICE),
    size: replacedSize(text!.size, part!.size, by!.size),
  }),
  charge: ([text]) => Math.ceil(sizeOf(text) * TWICE),
}

function replacedSize(text: Range, part: Range, by: Range): Range {
  // An empty part is found around each character.
  const most =
    part.min === 0
      ? (text.max + 1) * by.max + text.max
      : by.max <= part.min
        ? text.max
        : Math.ceil(text.max / part.min) * by.max
  const least =
    part.max === 0
      ? (text.min + 1) * by.min + text.min
      : part.max <= by.min
        ? text.min
        : Math.ceil(text.min / part.max) * by.min
  return plus({ min: least, max: most }, { min: 0, max: 0 })
}

const splitting: CostRule = {
  estimate: ([text, , limit]) => ({
    cost: share(text!.size, TWICE),
    size: { min: 0, max: limit?.literal ?? text!.size.max },
  }),
  charge: ([text]) => Math.ceil(sizeOf(text) * TWICE),
}

const joining: CostRule = {
  estimate: ([list, separator]) => {
    const items = times(list!.size, list!.itemSize)
    const { min, max } = list!.size
    const gaps = { min: Math.max(0, min - 1), max: Math.max(0, max - 1) }
    const size = separator ? plus(items, times(separator.size, gaps)) : items
    return { cost: share(size, PER_CHARACTER), size }
  },
  charge: ([list, separator]) => {
    const items = list as readonly string[]
    let size = Math.max(0, items.length - 1) * (separator === undefined ? 0 : sizeOf(separator))
    for (const item of items) size += sizeOf(item)
    return Math.ceil(size * TWICE)
  },
}

const joined = (list: readonly string[], by: string): string => list.join(by)

/** Parts of texts and their places. */
const searchFunctions = (): readonly FunctionDeclaration[] => [
  member('charAt', [
    'string_char_at_int',
    [STRING, INT],
    STRING,
    (s: string, i: Int) => texts.charAt(s, Number(i)),
  ]),
  member(
    'indexOf',
    [
      'string_index_of_string',
      [STRING, STRING],
      INT,
      (s: string, p: string) => texts.indexOf(s, p),
      eachItem,
    ],
    [
      'string_index_of_string_int',
      [STRING, STRING, INT],
      INT,
      (s: string, p: string, i: Int) => texts.indexOf(s, p, Number(i)),
      eachItem,
    ],
  ),
  member(
    'lastIndexOf',
    [
      'string_last_index_of_string',
      [STRING, STRING],
      INT,
      (s: string, p: string) => texts.lastIndexOf(s, p),
      eachItem,
    ],
    [
      'string_last_index_of_string_int',
      [STRING, STRING, INT],
      INT,
      (s: string, p: string, i: Int) => texts.lastIndexOf(s, p, Number(i)),
      eachItem,
    ],
  ),
  member(
    'substring',
    [
      'string_substring_int',
      [STRING, INT],
      STRING,
      (s: string, i: Int) => texts.substring(s, Number(i)),
      shortening,
    ],
    [
      'string_substring_int_int',
      [STRING, INT, INT],
      STRING,
      (s: string, i: Int, j: Int) => texts.substring(s, Number(i), Number(j)),
      shortening,
    ],
  ),
]

/** Texts, and lists of them, made of others. */
const changeFunctions = (): readonly FunctionDeclaration[] => [
  member('lowerAscii', ['string_lower_ascii', [STRING], STRING, texts.lowerAscii, shortening]),
  member('upperAscii', ['string_upper_ascii', [STRING], STRING, texts.upperAscii, shortening]),
  member('trim', ['string_trim', [STRING], STRING, texts.trim, shortening]),
  member(
    'replace',
    [
      'string_replace_string_string',
      [STRING, STRING, STRING],
      STRING,
      (s: string, p: string, by: string) => texts.replace(s, p, by),
      replacement,
    ],
    [
      'string_replace_string_string_int',
      [STRING, STRING, STRING, INT],
      STRING,
      (s: string, p: string, by: string, n: Int) => texts.replace(s, p, by, Number(n)),
      replacement,
    ],
  ),
  member(
    'split',
    [
      'string_split_string',
      [STRING, STRING],
      listOf(STRING),
      (s: string, p: string) => texts.split(s, p),
      splitting,
    ],
    [
      'string_split_string_int',
      [STRING, STRING, INT],
      listOf(STRING),
      (s: string, p: string, n: Int) => texts.split(s, p, Number(n)),
      splitting,
    ],
  ),
  member(
    'join',
    ['list_join', [listOf(STRING)], STRING, (list: readonly string[]) => joined(list, ''), joining],
    ['list_join_string', [listOf(STRING), STRING], STRING, joined, joining],
  ),
]

/** The functions of texts of every release. */
export const textLibrary = (): Library => ({
  functions: [...searchFunctions(), ...changeFunctions()],
})

/** Searching for patterns. */
export const patternLibrary = (): Library => ({
  functions: [
    member('find', ['string_find_string', [STRING, STRING], STRING, findPattern, patternFind]),
    member(
      'findAll',
      [
        'string_find_all_string',
        [STRING, STRING],
        listOf(STRING),
        (s: string, p: string) => findAllPattern(s, p, -1),
        patternFind,
      ],
      [
        'string_find_all_string_int',
        [STRING, STRING, INT],
        listOf(STRING),
        (s: string, p: string, n: Int) => findAllPattern(s, p, Number(n)),
        patternFind,
      ],
    ),
  ],
})

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

const quoted = (text: string): string =>
  `"${Array.from(text, (char) => ESCAPES[char] ?? char).join('')}"`

const quoting: CostRule = {
  estimate: ([text]) => ({
    cost: share(text!.size, PER_CHARACTER),
    size: { min: text!.size.min + 2, max: 2 * text!.size.max + 2 },
  }),
  charge: ([text]) => Math.ceil(sizeOf(text) * PER_CHARACTER),
}

/** Functions of texts that came later. */
export const laterTextLibrary = (): Library => ({
  functions: [
    member('format', [
      'string_format_list_string',
      [STRING, listOf(DYN)],
      STRING,
      formatText,
      traversal(0),
    ]),
    global('strings.quote', ['strings_quote', [STRING], STRING, quoted, quoting]),
  ],
})
