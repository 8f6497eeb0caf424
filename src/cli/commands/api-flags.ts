/** Names of flags that have the name of the product in them. */
import { product } from '../../vocabulary/index.ts'

export const API_QPS = `${product.command}-api-qps` as const
export const API_BURST = `${product.command}-api-burst` as const
export const API_CONTENT_TYPE = `${product.command}-api-content-type` as const
