import { describe, expect, test } from 'vitest'
import { recordingContext } from './authentication.fixture.ts'
import { parseCsv } from './csv.ts'
import { tokenFile } from './token-file.ts'

describe('rows', () => {
  for (const { name, text, rows } of [
    { name: 'nothing', text: '', rows: [] },
    { name: 'empty lines', text: '\n\r\n\n', rows: [] },
    { name: 'two, of other lengths', text: 'a,b\nc\n', rows: [['a', 'b'], ['c']] },
    { name: 'no line feed at the end', text: 'a,b', rows: [['a', 'b']] },
    {
      name: 'other line ends',
      text: 'a,b\r\nc,d\r\n',
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    { name: 'empty fields', text: ',a,,\n', rows: [['', 'a', '', '']] },
    { name: 'a comma at the end of everything', text: 'a,', rows: [['a', '']] },
    { name: 'space counts', text: ' a , b', rows: [[' a ', ' b']] },
    { name: 'quoted', text: '"a,b","c"\n', rows: [['a,b', 'c']] },
    { name: 'a quote within', text: '"a""b",c', rows: [['a"b', 'c']] },
    { name: 'only a quote', text: '""""', rows: [['"']] },
    { name: 'empty quoted', text: '"",a', rows: [['', 'a']] },
    { name: 'a line break within', text: '"a\nb",c\nd', rows: [['a\nb', 'c'], ['d']] },
    { name: 'a sign of a comment is none', text: '#a,b', rows: [['#a', 'b']] },
    { name: 'bare quote', text: 'x\na"b', rows: 'line 2: bare " in a field without quotes' },
    {
      name: 'quote behind space',
      text: 'a, "b"',
      rows: 'line 1: bare " in a field without quotes',
    },
    {
      name: 'text behind a quote',
      text: '"a"b',
      rows: 'line 1: text behind the closing " of a field',
    },
    {
      name: 'open quote',
      text: '"x\ny"\n"a',
      rows: 'line 3: a quoted field without its closing "',
    },
  ]) {
    test(name, () => {
      if (typeof rows === 'string') expect(() => parseCsv(text)).toThrow(new Error(rows))
      else expect(parseCsv(text)).toEqual(rows)
    })
  }
})

const user = (name: string, uid: string, groups: string[]) => ({
  user: { name, uid, groups, extra: {} },
  audiences: null,
})

describe('tokens', () => {
  for (const { name, text, token = 't', answer, warnings = [] } of [
    { name: 'without groups', text: 't,alice,uid1', answer: user('alice', 'uid1', []) },
    { name: 'one group', text: 't,alice,uid1,g1', answer: user('alice', 'uid1', ['g1']) },
    {
      name: 'several groups, and columns of no use',
      text: 't,alice,uid1,"g1, g2",x,y',
      answer: user('alice', 'uid1', ['g1', ' g2']),
    },
    { name: 'unknown', text: 't,alice,uid1', token: 'T', answer: null },
    { name: 'beginning of one', text: 'token,alice,uid1', token: 'tok', answer: null },
    { name: 'member of every object', text: 't,a,u', token: '__proto__', answer: null },
    {
      name: 'empty token',
      text: ',bob,uid2\nt,alice,uid1',
      token: '',
      answer: null,
      warnings: ["empty token in token file 'f', record 1: skipped"],
    },
    {
      name: 'the later of two counts',
      text: 't,alice,uid1\nt,bob,uid2',
      answer: user('bob', 'uid2', []),
      warnings: ["duplicate token in token file 'f', record 2: replaces the earlier one"],
    },
  ]) {
    test(name, () => {
      const seen: string[] = []
      const it = tokenFile({ path: 'f', text, warn: (warning) => seen.push(warning) })
      const found = it.authenticateToken(token, recordingContext())
      expect({ found, seen }).toEqual({ found: answer, seen: warnings })
    })
  }

  for (const { name, text, error } of [
    {
      name: 'too few columns',
      text: 't,alice',
      error: "token file 'f' must have at least 3 columns (token, user name, user uid), found 2",
    },
    {
      name: 'not readable',
      text: 'secret"x',
      error: `token file 'f': line 1: bare " in a field without quotes`,
    },
  ]) {
    test(name, () => {
      expect(() => tokenFile({ path: 'f', text, warn: () => {} })).toThrow(new Error(error))
    })
  }
})
