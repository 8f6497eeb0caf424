import { configMaps } from './core/config-map.ts'
import { namespaces } from './core/namespace.ts'
export const resources = [configMaps, namespaces]
