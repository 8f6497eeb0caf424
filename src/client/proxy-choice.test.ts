import { describe, expect, test } from 'vitest'
import { environmentProxy, proxyUrl } from './proxy-choice.ts'

describe('the proxy of the environment', () => {
  const P = 'http://proxy:3128'
  for (const [server, env, proxy] of [
    ['https://api.example.com', {}, undefined],
    ['https://api.example.com', { HTTPS_PROXY: P }, P],
    ['https://api.example.com', { https_proxy: P }, P],
    ['https://api.example.com', { HTTPS_PROXY: P, https_proxy: 'other' }, P],
    ['https://api.example.com', { HTTP_PROXY: P }, undefined],
    ['http://api.example.com', { HTTP_PROXY: P, HTTPS_PROXY: 'other' }, P],
    ['https://localhost:6443', { HTTPS_PROXY: P }, undefined],
    ['https://127.0.0.9:6443', { HTTPS_PROXY: P }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: P }, undefined],
  ] as [string, Record<string, string>, string | undefined][]) {
    test(`${server} ${JSON.stringify(env)}`, () =>
      expect(environmentProxy(new URL(server), env)).toBe(proxy))
  }
})

describe('servers without a proxy', () => {
  for (const [server, list, isListed] of [
    ['https://api.example.com', '', false],
    ['https://api.example.com', '*', true],
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', 'other.org, Example.COM', true],
    ['https://api.example.com', '.example.com', true],
    ['https://api.example.com', '*.example.com', true],
    ['https://example.com', 'example.com', true],
    ['https://example.com', '.example.com', false],
    ['https://badexample.com', 'example.com', false],
    ['https://api.example.com', 'example.com:443', true],
    ['https://api.example.com:6443', 'example.com:443', false],
    ['https://api.example.com:6443', 'example.com:6443', true],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', true],
    ['https://10.1.2.3:6443', '10.1.2.3:443', false],
    ['https://10.1.2.3', '2.3', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
    ['https://[fd00::1]', '10.0.0.0/8,10.0.0.0/99,/8,:,', false],
  ] as [string, string, boolean][]) {
    test(`${server} in ${JSON.stringify(list)}`, () => {
      const env = { HTTPS_PROXY: 'p', NO_PROXY: list }
      expect(environmentProxy(new URL(server), env)).toBe(isListed ? undefined : 'p')
    })
  }
})

describe('addresses of proxies', () => {
  for (const [text, outcome] of [
    ['proxy:3128', 'http://proxy:3128/'],
    ['https://user:pass@proxy', 'https://user:pass@proxy/'],
    ['http://user:secret@:x', 'p is not a URL'],
    ['socks5://proxy', 'p is not an http or https URL: other proxies are not supported'],
  ] as const) {
    test(text, () => {
      const read = () => {
        try {
          return proxyUrl(text, 'p').href
        } catch (error) {
          return (error as Error).message
        }
      }
      expect(read()).toBe(outcome)
    })
  }
})
