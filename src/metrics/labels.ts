/** Label pairs as text, `a="x",b="y"`; empty without labels. */
export const labelText = (labels: readonly string[], values: readonly string[]): string =>
  labels.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`).join(',')

const escaped = (value: string): string =>
  /["\\\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value
