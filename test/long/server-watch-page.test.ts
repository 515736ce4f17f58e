import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { passwordLine } from '#server/password-file.ts'
import { startMailServer } from '#test/support/mail-stand-in.ts'
import { PROVIDERS, startProvider, type ProviderKind } from '#test/support/receiver-stand-ins.ts'
import { startReceiver, type RunningReceiver } from '#test/support/running-receiver.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { watchTexts } from '#texts/en-watch.ts'
import { QUICK, setStage, WAIT, type Stage } from '#test/e2e/stage.ts'
import { browserForTests } from '#test/e2e/watched-browser.ts'

const PASSWORD = 'correct horse battery'
const browser = browserForTests()
const folder = mkdtempSync(join(tmpdir(), 'server-watch-'))
const KINDS = Object.keys(PROVIDERS).filter((kind): kind is ProviderKind => kind in PROVIDERS)
let receiver: RunningReceiver
let providers: readonly Awaited<ReturnType<typeof startProvider>>[]
let mail: Awaited<ReturnType<typeof startMailServer>>
let stage: Stage

/** A server that signs, polls and notifies, without any browser. */
beforeAll(async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const files = {
    keys: join(folder, 'keys'),
    passwords: join(folder, 'passwords'),
    key: join(folder, 'key.pem'),
  }
  const line = await passwordLine('vera', PASSWORD, 14)
  const hexKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  writeFileSync(files.keys, `${hexKey}\n`)
  writeFileSync(files.passwords, line.ok ? line.value : '', { mode: 0o600 })
  writeFileSync(files.key, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), { mode: 0o600 })
  receiver = await startReceiver()
  providers = await Promise.all(KINDS.map(startProvider))
  mail = await startMailServer({ security: 'none' })
  stage = await setStage({
    nodes: 2,
    service: QUICK,
    reference: { enroll: false, keysFile: files.keys },
    receivers: [
      { kind: 'webhook', url: receiver.url, name: 'Pager' },
      ...providers.map(({ origin }, place) => membersOf(KINDS[place], origin)),
      {
        kind: 'email',
        host: '127.0.0.1',
        port: mail.port,
        security: 'none',
        from: 'dashboard@example.org',
        to: 'ops@example.org',
      },
    ],
    args: ['--password-file', files.passwords, '--sign-key', files.key, '--notify'],
  })
})
afterAll(async () => {
  await stage.stop()
  receiver.down()
  mail.close()
  for (const { close } of providers) close()
  rmSync(folder, { recursive: true })
})

const membersOf = (kind: ProviderKind | undefined, origin: string): Readonly<Record<string, unknown>> =>
  kind === undefined ? {} : { kind, name: kind, ...PROVIDERS[kind].config(origin) }

async function open(path: string): Promise<Page> {
  const page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(stage.dashboard.dashboardUrl)
  await page.getByRole('textbox', { name: 'Name' }).fill('vera')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Nodes' }).waitFor()
  await page.goto(`${stage.dashboard.dashboardUrl}#${path}`)
  return page
}

const kinds = (): readonly unknown[] => receiver.taken.map((message) => Object(message).kind)
const unacknowledged = (page: Page) =>
  page.getByRole('main').getByRole('button', { name: alarmTexts.act.acknowledge, exact: true })

it('alarms while no browser was open appear later, and one acknowledgement applies to all browsers', async () => {
  const [node] = stage.nodes
  if (node === undefined) throw new Error('no node')
  await stage.reference.faults.set(node.id, { name: 'status', value: 503 })
  await receiver.took(1)
  expect(kinds()).toEqual(['problem'])

  const page = await open('/alarms')
  await page.getByText(node.name).first().waitFor()
  await page.getByRole('radio', { name: watchTexts.sources.server }).waitFor({ state: 'attached' })
  const other = await open('/alarms?source=browser')
  await unacknowledged(other).first().waitFor()
  await unacknowledged(page).first().click()
  await expect.poll(() => unacknowledged(other).count(), WAIT).toBe(0)
  const report = await page.evaluate(async () => (await fetch('/watch')).json() as Promise<unknown>)
  expect(JSON.stringify(report)).toContain('"by":"vera"')

  await page.goto(`${stage.dashboard.dashboardUrl}#/journal`)
  const journal = page.getByRole('grid')
  await journal.getByText(node.name).first().waitFor()
  await stage.reference.faults.clear(node.id)
  await receiver.took(2)
  expect(kinds()).toEqual(['problem', 'recovery'])
  // Every receiver accepted both messages and refused none.
  for (const [place, { accepted, replies }] of providers.entries()) {
    await expect.poll(() => accepted.length, { ...WAIT, message: KINDS[place] ?? '' }).toBeGreaterThan(1)
    expect(replies.filter(({ status }) => status >= 300)).toEqual([])
  }
  await expect.poll(() => mail.mails.length, WAIT).toBe(2)
  for (const text of mail.mails) expect(text).toContain(node.name)

  await page.goto(`${stage.dashboard.dashboardUrl}#/settings/notifications`)
  await page.getByRole('button', { name: 'Send a test to Pager', exact: true }).click()
  await page.getByText(/^Delivered \(HTTP 20/).waitFor()
  expect(kinds()).toEqual(['problem', 'recovery', 'test'])
})

it('delivers each problem and recovery once to every kind of receiver, even if killed before all have it', async () => {
  const refusing = new Set<ProviderKind | undefined>(['telegram', 'matrix', 'pagerduty'])
  // A message whose answer was lost in the crash is repeated; it counts once.
  const newIn = (all: readonly unknown[], idOf: (one: unknown) => unknown) => {
    const before = all.length
    return () => Array.from(new Map(all.slice(before).map((one) => [idOf(one), one])).values())
  }
  const receivers = [
    ...providers.map(({ accepted }, place) => ({
      kind: KINDS[place],
      messages: newIn(accepted, (one) => JSON.stringify(Object(one).body)),
    })),
    { kind: undefined, messages: newIn(receiver.taken, (one) => Object(one).id) },
    { kind: undefined, messages: newIn(mail.mails, (one) => /^Message-ID: .*/m.exec(String(one))?.[0]) },
  ]
  const counts = () => receivers.map(({ messages }) => messages().length)
  const untilAll = async (count: number): Promise<void> => {
    await expect.poll(() => new Set(counts()), WAIT).toEqual(new Set([count]))
  }
  const [, node] = stage.nodes
  if (node === undefined) throw new Error('no node')

  const down = providers.filter((_, place) => refusing.has(KINDS[place]))
  for (const { answer } of down) answer({ status: 503 })
  await stage.reference.faults.set(node.id, { name: 'status', value: 503 })
  const expected = receivers.map(({ kind }) => (refusing.has(kind) ? 0 : 1))
  await expect.poll(counts, WAIT).toEqual(expected)
  await expect.poll(() => down.map(({ replies }) => replies.at(-1)?.status), WAIT).toEqual([503, 503, 503])
  await stage.crash(() => {
    for (const { answer } of down) answer(undefined)
  })
  await untilAll(1)
  await stage.reference.faults.clear(node.id)
  await untilAll(2)
  const sent = receivers.find(({ kind }) => kind === undefined)?.messages()
  expect(sent?.map((message) => Object(message).kind)).toEqual(['problem', 'recovery'])
  // The recovery is a reply to the problem that was sent before the crash.
  const inSlack = receivers.find(({ kind }) => kind === 'slack-bot')?.messages()
  expect(inSlack?.map((message) => 'thread_ts' in Object(message).body)).toEqual([false, true])
})
