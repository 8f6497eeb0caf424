/** The static table of header blocks (RFC 7541, Appendix A): names, some with a value. */
export const STATIC: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...['200', '204', '206', '304', '400', '404', '500'].map((code) => [':status', code] as const),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...(
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization ' +
    'cache-control content-disposition content-encoding content-language content-length ' +
    'content-location content-range content-type cookie date etag expect expires from host ' +
    'if-match if-modified-since if-none-match if-range if-unmodified-since last-modified link ' +
    'location max-forwards proxy-authenticate proxy-authorization range referer refresh ' +
    'retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary ' +
    'via www-authenticate'
  )
    .split(' ')
    .map((name) => [name, ''] as const),
]
