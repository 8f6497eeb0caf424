/** Rules of the shapes that today's tools write: presence behind indexes and keys, keys of maps, times and null. */
import {
  broken,
  either,
  failed,
  keyed,
  list,
  mapOf,
  object,
  oneOf,
  rules,
  type Shape,
  text,
  time,
  whole,
} from './schema-words.ts'

const PARTS_RULE =
  'spec.validation.openAPIV3Schema.properties[spec].properties[parts].x-orch-validations[0].rule'
const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'

export const expressionShapes: readonly Shape[] = [
  {
    plural: 'indexed',
    kind: 'Indexed',
    properties: {
      spec: object({
        rules: list(
          object({ backends: list(object({ name: text, port: whole }), { maxItems: 8 }) }),
          {
            maxItems: 8,
            ...rules(
              ['size(self) == 0 || has(self[0].backends)', 'the first rule has backends'],
              [
                'self.all(r, !has(r.backends) || r.backends.size() == 0 || has(r.backends[0].port))',
                'the first backend has a port',
              ],
            ),
          },
        ),
        parameters: {
          ...mapOf(object({ value: text, secret: text }), { maxProperties: 8 }),
          ...rules(["!('main' in self) || has(self['main'].value)", 'main has a value']),
        },
      }),
    },
    valid: [
      {
        spec: {
          parameters: { main: { value: 'v' }, other: {} },
          rules: [{ backends: [{ name: 'a', port: 1 }] }, {}],
        },
      },
      { spec: { parameters: {}, rules: [] } },
    ],
    invalid: [
      [
        {
          spec: {
            rules: [{}, { backends: [{ name: 'a' }] }],
            parameters: { main: { secret: 's' } },
          },
        },
        failed('spec.parameters', 'main has a value'),
        failed('spec.rules', 'the first rule has backends', 'array'),
        failed('spec.rules', 'the first backend has a port', 'array'),
      ],
    ],
  },
  {
    plural: 'labelled',
    kind: 'Labelled',
    properties: {
      spec: object({
        labels: mapOf(
          { ...text, maxLength: 63 },
          {
            maxProperties: 8,
            ...rules(["self.all(key, key.matches('^[a-z][a-z0-9.-]*$'))", 'keys are small words']),
          },
        ),
        annotations: mapOf(text, {
          maxProperties: 8,
          ...rules(["self.all(key, !key.startsWith('internal'))", 'no internal keys']),
        }),
      }),
    },
    valid: [{ spec: { annotations: { a: 'b' }, labels: { 'a.b-c': 'x' } } }],
    invalid: [
      [
        { spec: { labels: { A: 'x' }, annotations: { internal: 'x' } } },
        failed('spec.annotations', 'no internal keys'),
        failed('spec.labels', 'keys are small words'),
      ],
    ],
  },
  {
    plural: 'timed',
    kind: 'Timed',
    properties: {
      spec: object(
        {
          start: time,
          end: time,
          every: { ...text, format: 'duration', maxLength: 16 },
          ratio: { type: 'number' },
          parent: object({ name: text }),
        },
        rules(
          [
            '!has(self.start) || !has(self.end) || self.end > self.start',
            'the end is behind the start',
          ],
          ["!has(self.every) || self.every >= duration('1m')", 'at most once in a minute'],
          ['!has(self.ratio) || self.ratio <= .5', 'at most a half'],
          ['!has(self.parent) || self.parent != null', 'a parent is something'],
        ),
      ),
    },
    valid: [
      {
        spec: {
          end: '2024-01-02T00:00:00Z',
          every: '5m',
          parent: {},
          ratio: 0.5,
          start: '2024-01-01T00:00:00Z',
        },
      },
      { spec: { ratio: 0 } },
    ],
    invalid: [
      [
        {
          spec: {
            start: '2024-01-02T00:00:00Z',
            end: '2024-01-01T00:00:00Z',
            every: '1s',
            ratio: 0.75,
          },
        },
        failed('spec', 'the end is behind the start'),
        failed('spec', 'at most once in a minute'),
        failed('spec', 'at most a half'),
      ],
    ],
  },
  {
    plural: 'requirements',
    kind: 'Requirement',
    properties: {
      spec: object({
        terms: list(
          object(
            {
              operator: oneOf('In', 'Gt'),
              values: list({ ...text, maxLength: 63 }, { maxItems: 5 }),
            },
            { required: ['operator'] },
          ),
          {
            maxItems: 20,
            ...rules([
              "self.all(x, x.operator == 'Gt' ? x.values.size() == 1 && int(x.values[0]) >= 0 : true)",
              'Gt has one positive integer',
            ]),
          },
        ),
        share: { ...either, ...rules('self > 1') },
      }),
    },
    valid: [{ spec: { share: 2, terms: [{ operator: 'Gt', values: ['7'] }] } }],
    invalid: [
      [
        { spec: { terms: [{ operator: 'Gt', values: ['many'] }] } },
        failed(
          'spec.terms',
          'strconv.ParseInt: parsing "many": invalid syntax evaluating rule: Gt has one positive integer',
          'array',
        ),
      ],
      [
        { spec: { share: 'a' } },
        broken(
          'spec.share',
          '""',
          "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 1",
        ),
      ],
    ],
  },
  {
    // The number is declared as an integer, and the literal is none.
    plural: 'mixed',
    kind: 'Mixed',
    properties: {
      spec: object({
        count: { ...whole, ...rules('self < 1.5') },
        names: keyed(['name'], object({ name: text }, { required: ['name'] })),
      }),
    },
    refused: [
      broken(
        'spec.validation.openAPIV3Schema.properties[spec].properties[count].x-orch-validations[0].rule',
        '"self < 1.5"',
        "compilation failed: ERROR: <input>:1:6: found no matching overload for '_<_' applied to '(int, double)'\n | self < 1.5\n | .....^",
      ),
    ],
    valid: [],
    invalid: [],
  },
  {
    // What a function makes of a list has no size, so its cost has no bound.
    plural: 'summed',
    kind: 'Summed',
    properties: {
      spec: object({
        parts: list(object({ percent: whole }), {
          maxItems: 20,
          ...rules('self.map(p, has(p.percent) ? p.percent : 0).sum() == 100'),
        }),
      }),
    },
    refused: [
      `${PARTS_RULE} Forbidden Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`,
      `${PARTS_RULE} Forbidden Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `spec.validation.openAPIV3Schema Forbidden Forbidden: x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${ADVICE}`,
    ],
    valid: [],
    invalid: [],
  },
]
