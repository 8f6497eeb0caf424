import { debugObject, type DebugText } from '../../meta/debug-text.ts'
import { LabelSelector } from './label-selector.ts'

/** A label selector as shown in errors. */
export const shownSelector = (selector: LabelSelector | undefined): DebugText | undefined =>
  debugObject(LabelSelector, selector)
