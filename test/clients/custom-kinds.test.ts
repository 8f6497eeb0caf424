/** A stock kubectl and kinds that a user defines, in both vocabularies. */
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Kubectl } from './kubectl.ts'

for (const { vocabulary, api, brand } of [
  { vocabulary: 'kubernetes', api: 'apiextensions.k8s.io', brand: 'kubernetes' },
  { vocabulary: 'orch', api: 'apiextensions.orch.io', brand: 'orch' },
] as const)
  describe(vocabulary, () => {
    let server: RunningServer
    let kubectl: Kubectl
    const feed = (object: object, ...args: string[]) =>
      kubectl.run([...args, '-f', '-'], JSON.stringify(object))
    const lines = async (...args: string[]) =>
      (await kubectl.ok(...args))
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd().split(/ {2,}/))

    const DEFINITION = {
      apiVersion: `${api}/v1`,
      kind: 'CustomResourceDefinition',
      metadata: { name: 'boats.harbour.example.com' },
      spec: {
        group: 'harbour.example.com',
        scope: 'Namespaced',
        names: { plural: 'boats', kind: 'Boat', shortNames: ['bt'], categories: ['fleet'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.crew', statusReplicasPath: '.status.crew' },
            },
            additionalPrinterColumns: [
              { name: 'Crew', type: 'integer', jsonPath: '.spec.crew' },
              { name: 'Sails', type: 'string', jsonPath: '.spec.sails[*].name' },
              { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
            ],
            schema: {
              openAPIV3Schema: {
                description: 'A boat in a harbour.',
                type: 'object',
                properties: {
                  spec: {
                    description: 'What the boat should be.',
                    type: 'object',
                    required: ['crew'],
                    properties: {
                      crew: { description: 'Sailors on board.', type: 'integer', minimum: 0 },
                      port: {
                        description: 'Number or name of the place.',
                        [`x-${brand}-int-or-string`]: true,
                      },
                      sails: {
                        type: 'array',
                        [`x-${brand}-list-type`]: 'map',
                        [`x-${brand}-list-map-keys`]: ['name'],
                        items: {
                          type: 'object',
                          required: ['name'],
                          properties: { name: { type: 'string' }, area: { type: 'number' } },
                        },
                      },
                    },
                  },
                  status: {
                    type: 'object',
                    properties: { crew: { type: 'integer' }, phase: { type: 'string' } },
                  },
                },
              },
            },
          },
        ],
      },
    }
    const boat = (spec: object, name = 'anna') => ({
      apiVersion: 'harbour.example.com/v1',
      kind: 'Boat',
      metadata: { name },
      spec,
    })

    beforeAll(async () => {
      server = await startServer({ vocabulary })
      kubectl = await Kubectl.for(server.kubeconfig)
      const made = await feed(DEFINITION, 'apply')
      expect(made).toEqual({
        code: 0,
        stdout: `customresourcedefinition.${api}/boats.harbour.example.com created\n`,
        stderr: '',
      })
    })
    afterAll(async () => {
      await kubectl.close()
      await server.close()
    })

    test('wait sees the condition, and api-resources the kind', async () => {
      expect(
        await kubectl.ok('wait', '--for=condition=Established', 'crd/boats.harbour.example.com'),
      ).toBe(`customresourcedefinition.${api}/boats.harbour.example.com condition met\n`)
      expect(await lines('api-resources', '--api-group=harbour.example.com')).toEqual([
        ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'],
        ['boats', 'bt', 'harbour.example.com/v1', 'true', 'Boat'],
      ])
    })

    test('apply creates and changes, and refuses what the schema does', async () => {
      const first = {
        crew: 2,
        port: 'north',
        sails: [{ name: 'main' }, { name: 'jib', area: 2.5 }],
      }
      expect(await feed(boat(first), 'apply')).toEqual({
        code: 0,
        stdout: 'boat.harbour.example.com/anna created\n',
        stderr: '',
      })
      const second = { crew: 3, port: 7, sails: [{ name: 'main' }] }
      expect((await feed(boat(second), 'apply')).stdout).toBe(
        'boat.harbour.example.com/anna configured\n',
      )
      expect(JSON.parse(await kubectl.ok('get', 'bt', 'anna', '-o', 'jsonpath={.spec}'))).toEqual(
        second,
      )
      // A stock client looks at the published schema before it asks.
      const wrong = await feed(boat({ crew: 'many' }, 'b'), 'apply')
      expect(wrong.code).toBe(1)
      expect(wrong.stderr).toContain('crew')
      const unchecked = await feed(boat({ crew: -1 }, 'b'), 'apply', '--validate=false')
      expect(unchecked.stderr).toContain(
        'spec.crew: Invalid value: -1: spec.crew in body should be greater than or equal to 0',
      )
      const other = boat({ crew: 4, sails: [{ name: 'spinnaker' }] })
      const forced = await feed(
        other,
        'apply',
        '--server-side',
        '--field-manager=o',
        '--force-conflicts',
      )
      expect(forced.stderr + forced.stdout).toBe(
        'boat.harbour.example.com/anna serverside-applied\n',
      )
      expect(await kubectl.ok('get', 'bt/anna', '-o', 'jsonpath={.spec.sails[*].name}')).toBe(
        'main spinnaker',
      )
    })

    test('get shows columns, by every name and category', async () => {
      for (const name of ['boats', 'boat', 'bt', 'fleet', 'boats.v1.harbour.example.com'])
        expect(await lines('get', name), name).toEqual([
          ['NAME', 'CREW', 'SAILS'],
          ['anna', '4', 'main'],
        ])
      expect((await lines('get', 'bt', '-o', 'wide'))[0]).toEqual([
        'NAME',
        'CREW',
        'SAILS',
        'PHASE',
      ])
      expect(await kubectl.ok('get', 'bt', '-o', 'name')).toBe('boat.harbour.example.com/anna\n')
    })

    test('describe prints the object', async () => {
      const text = await kubectl.ok('describe', 'boat', 'anna')
      expect(text).toMatch(/^Name: +anna\nNamespace: +default\n/)
      expect(text).toMatch(/\nAPI Version: +harbour\.example\.com\/v1\nKind: +Boat\n/)
      expect(text).toMatch(/\nSpec:\n +Crew: +4\n/)
    })

    test('explain reads the published schema', async () => {
      const whole = await kubectl.ok('explain', 'boats')
      expect(whole).toMatch(/KIND: +Boat\nVERSION: +harbour\.example\.com\/v1\n/)
      expect(whole).toContain('A boat in a harbour.')
      expect(await kubectl.ok('explain', 'boats.spec.crew')).toMatch(
        /FIELD: +crew <integer>\n\nDESCRIPTION:\n +Sailors on board\./,
      )
      expect(await kubectl.ok('explain', 'boats.spec.sails.area')).toMatch(/FIELD: +area <number>/)
      expect(await kubectl.ok('explain', 'boats.metadata.labels')).toMatch(/map\[string\]string/)
    })

    test('edit changes it', async () => {
      const script = join(kubectl.home, 'editor.sh')
      await writeFile(script, '#!/bin/sh\nsed -i "s/crew: 4/crew: 5/" "$1"\n')
      await chmod(script, 0o755)
      const { code, stdout, stderr } = await kubectl.run(['edit', 'boat', 'anna'], '', {
        KUBE_EDITOR: script,
      })
      expect([code, stdout, stderr]).toEqual([0, 'boat.harbour.example.com/anna edited\n', ''])
    })

    test('scale and patch --subresource reach the sub-resources', async () => {
      expect(await kubectl.ok('scale', 'boat/anna', '--replicas=6', '--current-replicas=5')).toBe(
        'boat.harbour.example.com/anna scaled\n',
      )
      const change = JSON.stringify({ status: { phase: 'Sailing', crew: 6 } })
      await kubectl.ok(
        'patch',
        'boat',
        'anna',
        '--subresource=status',
        '--type=merge',
        '-p',
        change,
      )
      expect(await kubectl.ok('wait', '--for=jsonpath={.status.phase}=Sailing', 'boat/anna')).toBe(
        'boat.harbour.example.com/anna condition met\n',
      )
      expect(await lines('get', 'boat', 'anna', '--subresource=scale')).toEqual([
        ['NAME', 'DESIRED', 'AVAILABLE', 'AGE'],
        ['anna', '6', '6', expect.stringMatching(/^\d+s$/)],
      ])
      const strategic = await kubectl.run(['patch', 'boat', 'anna', '-p', '{"spec":{"crew":7}}'])
      expect([strategic.code, strategic.stderr]).toEqual([
        1,
        expect.stringContaining('application/merge-patch+json, application/apply-patch+yaml'),
      ])
    })

    test('delete takes the definition with its objects', async () => {
      expect(await kubectl.ok('delete', 'boat', 'anna')).toBe(
        'boat.harbour.example.com "anna" deleted\n',
      )
      await feed(boat({ crew: 1 }), 'create')
      await kubectl.ok('delete', 'crd', 'boats.harbour.example.com')
      const { code, stderr } = await kubectl.run(['get', 'boats'])
      expect([code, stderr]).toEqual([1, expect.stringMatching(/NotFound|resource type "boats"/)])
    })
  })
