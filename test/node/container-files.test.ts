import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COLLECT_COMMAND } from '#collector/collect-options.ts'
import { parseCommand } from '#node/command-line.ts'
import { SERVE_COMMAND } from '#server/serve-options.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const dockerfile = read('deploy/docker/Dockerfile')
const compose = read('deploy/docker/compose.yaml')
/** The build context: everything is excluded except these. */
const [everything, ...given] = read('deploy/docker/Dockerfile.dockerignore').trim().split('\n')
const isGiven = (path: string): boolean =>
  given
    .map((line) => line.slice(1).replaceAll('.', '\\.').replace('*', '[^/]*'))
    .some((pattern) => new RegExp(`^${pattern}(/|$)`).test(path))

it('the Dockerfile copies only files that exist and are in the build context', () => {
  expect([everything, given.filter((line) => !line.startsWith('!'))]).toEqual(['**', []])
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, files]) => files?.split(' ') ?? [],
  )
  expect(copied).toContain('package.json')
  for (const file of copied.filter((name) => name !== '.'))
    expect([file, existsSync(join(root, file)), isGiven(file)]).toEqual([file, true, true])
  // The build reads every TypeScript project, including those of tests.
  const projects: { references: readonly { path: string }[] } = JSON.parse(read('tsconfig.json'))
  for (const { path } of projects.references) {
    const file = path.endsWith('.json') ? path : `${path}/tsconfig.json`
    expect([file, isGiven(file)]).toEqual([file, true])
  }
  for (const secret of ['deploy/docker/key.pem', 'deploy/docker/passwords', 'node_modules', '.git'])
    expect([secret, isGiven(secret)]).toEqual([secret, false])
})

it('the command line parser accepts the commands of the compose file', () => {
  const commands = [...compose.matchAll(/command:\n((?: {6}- .+\n)+)/g)].map(([, lines]) =>
    [...(lines ?? '').matchAll(/- (.+)/g)].map(([, word]) => word ?? ''),
  )
  const argvOf = (name: string): readonly string[] => commands.find(([first]) => first === name) ?? []
  const serve = parseCommand(SERVE_COMMAND, argvOf('serve').slice(1))
  expect(serve.ok ? serve.value?.kind : serve.error).toBe('serve')
  // The port is published on loopback only, so that every visitor comes through the gateway.
  expect(compose).toContain("ports: ['127.0.0.1:7420:7420']")
  const gateway = /gateway: ([\d.]+)/.exec(compose)?.[1]
  expect(serve).toMatchObject({ value: { serve: { trustFrom: [gateway] } } })
  const collect = parseCommand(COLLECT_COMMAND, argvOf('collect').slice(1))
  expect(collect.ok ? collect.value?.kind : collect.error).toBe('collect')
})

it('files that the compose file names exist, or its header says how to make them', () => {
  const named = [...compose.matchAll(/(?:- |file: )(\.{1,2}\/[\w./-]+)/g)].map(([, path]) => path ?? '')
  expect(named).toContain('./prometheus.yml')
  const head = compose.slice(0, compose.indexOf('name:'))
  for (const path of named) {
    const isShipped = existsSync(join(root, 'deploy/docker', path))
    expect([path, isShipped || head.includes(`#   ${path.slice(2)} `)]).toEqual([path, true])
  }
})
