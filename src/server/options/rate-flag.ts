import { textFlag, type Flag } from '../../flags/flags.ts'

/** Bound of whole numbers in flags. */
export const MAX_INTEGER = 2_147_483_647

/** A rate per second, which need not be whole. */
export const rateFlag = (about: Parameters<typeof textFlag>[0]): Flag<number> => ({
  ...about,
  placeholder: 'float',
  takes: (value) =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? null
      : 'must be a number, 0 or more',
  parse(text) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)) throw new Error('must be a number')
    return Number(text)
  },
  check: (value) => (value < 0 ? 'must not be negative' : null),
})
