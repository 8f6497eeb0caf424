import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openssl } from '../../test/openssl.ts'
import { systemClock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { createPki, ensurePki } from './files.ts'
import type { Pki } from './pki.ts'

const options = {
  vocabulary: vocabularies.orch,
  clock: systemClock,
  bindAddress: '192.0.2.1',
  machine: { name: 'box', addresses: [] },
}

let root = ''
let pki: Pki
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'pki-'))
  pki = await ensurePki({ ...options, dir: join(root, 'data') })
})
afterAll(() => rm(root, { recursive: true, force: true }))

const FILES = {
  'admin.crt': 'adminCert',
  'admin.key': 'adminKey',
  'apiserver.crt': 'servingCert',
  'apiserver.key': 'servingKey',
  'ca.crt': 'ca',
  'ca.key': 'caKey',
  'sa.key': 'saPrivateKey',
  'sa.pub': 'saPublicKey',
} as const satisfies Record<string, keyof Pki>

describe('on disk', () => {
  test('each part is in its file, readable by its owner only', async () => {
    const dir = join(root, 'data', 'pki')
    expect(await readdir(join(root, 'data'))).toEqual(['pki'])
    const found = await Promise.all(
      (await readdir(dir)).map(async (name) => ({
        name,
        text: await readFile(join(dir, name), 'utf8'),
        mode: ((await stat(join(dir, name))).mode & 0o777).toString(8),
      })),
    )
    expect(found.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      Object.entries(FILES).map(([name, part]) => ({
        name,
        text: pki[part],
        mode: '600',
      })),
    )
    const modes = [join(root, 'data'), dir].map(async (path) => (await stat(path)).mode & 0o777)
    expect(await Promise.all(modes)).toEqual([0o700, 0o700])
  })

  test('a folder that is mounted, and so cannot be replaced, is filled', async ({ skip }) => {
    const data = join(root, 'mounted')
    const dir = join(data, 'pki')
    await mkdir(dir, { recursive: true })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir])
    skip(mounted.status !== 0, 'nothing can be mounted')
    try {
      const made = await ensurePki({ ...options, dir: data })
      expect((await readdir(dir)).sort()).toEqual(Object.keys(FILES))
      expect(await readdir(data)).toEqual(['pki'])
      expect(await ensurePki({ ...options, dir: data })).toEqual(made)
    } finally {
      spawnSync('umount', [dir])
    }
  })

  test('a later start uses all files and does not load the issuing code', async () => {
    vi.resetModules()
    vi.doMock('./issue.ts', () => {
      throw new Error('loaded')
    })
    try {
      const fresh = await import('./files.ts')
      expect(await fresh.ensurePki({ ...options, dir: join(root, 'data') })).toEqual(pki)
    } finally {
      vi.doUnmock('./issue.ts')
    }
  })

  test('two first starts at once agree', async () => {
    const dir = join(root, 'twice')
    const [a, b] = await Promise.all([
      ensurePki({ ...options, dir }),
      ensurePki({ ...options, dir }),
    ])
    expect(a).toEqual(b)
    expect(await readdir(dir)).toEqual(['pki'])
  })

  test('a change replaces only the affected parts', async () => {
    const dir = join(root, 'moved')
    const before = await ensurePki({ ...options, dir })
    const after = await ensurePki({ ...options, dir, bindAddress: '192.0.2.2' })
    const { servingCert, servingKey } = after
    expect(after).toEqual({ ...before, servingCert, servingKey })
    expect(servingCert).not.toBe(before.servingCert)
    expect(await ensurePki({ ...options, dir, bindAddress: '192.0.2.2' })).toEqual(after)
    expect((await readdir(join(dir, 'pki'))).sort()).toEqual(Object.keys(FILES))
  })

  test('other files in the folder are left alone', async () => {
    const dir = join(root, 'shared')
    await mkdir(join(dir, 'pki'), { recursive: true })
    await writeFile(join(dir, 'pki', 'note'), 'mine')
    await ensurePki({ ...options, dir })
    expect((await readdir(join(dir, 'pki'))).sort()).toEqual([...Object.keys(FILES), 'note'].sort())
  })

  test('a file that cannot be used is named, and stays', async () => {
    const dir = join(root, 'broken')
    await ensurePki({ ...options, dir })
    const path = join(dir, 'pki', 'ca.key')
    await writeFile(path, 'x')
    await expect(ensurePki({ ...options, dir })).rejects.toThrow(
      `${path} holds no private key; put the right file there, or remove ${join(dir, 'pki')} to make everything anew`,
    )
    expect(await readFile(path, 'utf8')).toBe('x')
  })
})

describe('openssl agrees', () => {
  const files = () => ({ ...pki, caKey: pki.caKey ?? '' })
  for (const { name, args, says } of [
    {
      name: 'authority',
      args: ['verify', '-x509_strict', '-CAfile', '{ca}', '{ca}'],
      says: /ca: OK\n$/,
    },
    {
      name: 'server by name',
      args: 'verify -x509_strict -purpose sslserver -verify_hostname orch.default.svc -CAfile {ca} {servingCert}'.split(
        ' ',
      ),
      says: /servingCert: OK\n$/,
    },
    {
      name: 'server by address',
      args: 'verify -x509_strict -purpose sslserver -verify_ip 192.0.2.1 -CAfile {ca} {servingCert}'.split(
        ' ',
      ),
      says: /servingCert: OK\n$/,
    },
    {
      name: 'administrator',
      args: 'verify -x509_strict -purpose sslclient -CAfile {ca} {adminCert}'.split(' '),
      says: /adminCert: OK\n$/,
    },
    {
      name: 'names, uses and identifiers of the server',
      args: 'x509 -noout -subject -ext subjectAltName,keyUsage,extendedKeyUsage,basicConstraints -in {servingCert}'.split(
        ' ',
      ),
      says: new RegExp(
        [
          'subject=CN ?= ?orch-apiserver',
          'X509v3 Basic Constraints: critical',
          '    CA:FALSE',
          'X509v3 Key Usage: critical',
          '    Digital Signature, Key Encipherment',
          'X509v3 Extended Key Usage: ',
          '    TLS Web Server Authentication',
          'X509v3 Subject Alternative Name: ',
          '    DNS:localhost, DNS:box, DNS:orch, DNS:orch.default, DNS:orch.default.svc, ' +
            'DNS:orch.default.svc.cluster.local, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
            'IP Address:10.0.0.1, IP Address:192.0.2.1',
        ].join('\\s*\n'),
      ),
    },
    {
      name: 'identity of the administrator',
      args: 'x509 -noout -subject -ext extendedKeyUsage -in {adminCert}'.split(' '),
      says: /^subject=O ?= ?system:masters, CN ?= ?orch-admin\nX509v3 Extended Key Usage: \n {4}TLS Web Client Authentication\n$/,
    },
    {
      name: 'token keys are P-256',
      args: ['pkey', '-noout', '-text_pub', '-in', '{saPrivateKey}'],
      says: /NIST CURVE: P-256/,
    },
  ]) {
    test(name, async () => {
      expect(await openssl(args, files())).toMatch(says)
    })
  }

  test('a set in memory is as good', async () => {
    const { ca, servingCert } = await createPki(options)
    const args = ['verify', '-x509_strict', '-CAfile', '{ca}', '{servingCert}']
    expect(await openssl(args, { ca, servingCert })).toMatch(/servingCert: OK\n$/)
  })
})
