import { describe, expect, it } from 'vitest'
import { ensureTools } from './tools.ts'

const PROGRAMS: Readonly<Record<string, string>> = {
  chromium: 'Chromium',
  'chromium-headless-shell': 'Chromium’s headless shell',
  curl: 'curl',
  openssl: 'openssl',
  'openssh-client': 'ssh-keygen',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  'nginx-light': 'nginx',
  caddy: 'caddy',
  'victoria-metrics': 'victoria-metrics',
  prometheus: 'promtool',
}

/** A machine that lacks some programs, and the packages that it was asked to install. */
function machine(lacking: readonly string[], parts: { root: boolean; installs?: boolean }) {
  const missing = new Set(lacking)
  const installed: string[] = []
  const said: string[] = []
  const lines = ensureTools((line) => said.push(line), {
    isThere: (tool) => !missing.has(tool),
    canInstall: () => parts.root,
    install: (packages) => {
      installed.push(...packages)
      if (parts.installs !== false) for (const name of packages) missing.delete(PROGRAMS[name] ?? '')
    },
  })
  return { installed, said, lines }
}

describe('the programs that tests use', () => {
  it('that a test can do without are installed where that is possible, and are no failure where not', () => {
    const ALERTMANAGER = 'prometheus-alertmanager'
    expect(machine([ALERTMANAGER], { root: true }).installed).toEqual([ALERTMANAGER])
    expect(machine([ALERTMANAGER], { root: false }).lines).toEqual([])
  })

  it('that a test can do without are asked for one by one: an unknown one keeps no other away', () => {
    const calls: (readonly string[])[] = []
    ensureTools(() => undefined, {
      isThere: () => false,
      canInstall: () => true,
      install: (packages) => calls.push(packages),
    })
    expect(calls).toEqual([
      ['chromium', 'curl', 'openssl', 'openssh-client'],
      ['chromium-headless-shell'],
      ['prometheus-alertmanager'],
      ['nginx-light'],
      ['caddy'],
      ['victoria-metrics'],
      ['prometheus'],
    ])
  })

  it('are installed when they are missing, as root with apt-get', () => {
    const { installed, said, lines } = machine(['Chromium', 'ssh-keygen'], { root: true })
    expect(installed).toEqual(['chromium', 'openssh-client'])
    expect(said).toHaveLength(1)
    expect(lines).toEqual([])
  })

  it.each([
    ['without root', { root: false }],
    ['when installing did not help', { root: true, installs: false }],
  ])('are named with the way to get them, a line each, %s', (_name, parts) => {
    const { lines } = machine(['Chromium', 'curl', 'openssl', 'ssh-keygen'], parts)
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(line).toMatch(/^[\w-]+ is missing: install [^\n]+\.$/)
  })
})
