/**
 * The brand words, chosen once at start. Everything else in the code base writes names as
 * templates: `storage{api}`, `{label}/pvc-protection`, `{system}-system`.
 */
export interface Vocabulary {
  readonly name: VocabularyName
  readonly words: Readonly<Record<Word, string>>
  /** Resolves a template into the text on the wire. Throws on an unknown word. */
  resolve(template: string): string
}

export type VocabularyName = 'orch' | 'kubernetes'

/**
 * api: suffix of branded API groups, with the leading dot. label: domain of labels, annotations,
 * finalizers. system: prefix of system namespaces and names. agent: the node agent. brand and
 * Brand: the word itself. cli: the command-line client as label prefix and apply manager.
 */
export type Word = 'api' | 'label' | 'system' | 'agent' | 'brand' | 'Brand' | 'cli'

/** Makes a vocabulary of its words. Spelled templates are remembered. */
export function vocabulary(name: VocabularyName, words: Record<Word, string>): Vocabulary {
  const spelled = new Map<string, string>()
  return {
    name,
    words,
    resolve(template) {
      let text = spelled.get(template)
      if (text === undefined) {
        text = template.replace(/\{(\w+)\}/g, (_, word: string) => {
          if (!Object.hasOwn(words, word))
            throw new Error(`unknown word {${word}} in "${template}"`)
          return words[word as Word]
        })
        spelled.set(template, text)
      }
      return text
    },
  }
}
