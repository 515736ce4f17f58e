import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import type { ReferenceOptions } from '#reference/options.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { createBenchService } from '#test/support/bench-service.ts'
import { freePort } from '#test/support/free-port.ts'
import { launchDashboard, type Dashboard } from '#test/support/launch-app.ts'
import { messageTexts } from '#texts/en-messages.ts'
import { nodeTexts } from '#texts/en-node.ts'

export type WatchedNode = { readonly id: string; readonly name: string }

/** The built dashboard and a reference service in the test's own process, over real sockets. */
export type Stage = {
  readonly reference: ReferenceService
  /** Base URL of the reference service. */
  readonly service: string
  readonly dashboard: Dashboard
  readonly nodes: readonly WatchedNode[]
  /** Address of a node's page. */
  readonly nodeUrl: (node: WatchedNode) => string
  /** Kills the dashboard's process, runs `whileDown`, and starts another process with the same data. */
  readonly crash: (whileDown: () => void) => Promise<void>
  readonly stop: () => Promise<void>
}

type StageOptions = {
  /** Size of the service's network. All of it is watched unless `watch` selects nodes. */
  readonly nodes: number
  readonly watch?: (nodes: readonly WatchedNode[]) => readonly WatchedNode[]
  readonly reference?: ReferenceOptions
  /** Members of the service in the configuration file, besides the base URL. Without them nothing is configured. */
  readonly service?: Readonly<Record<string, unknown>>
  /** Further services with their nodes, as in the configuration file. */
  readonly others?: readonly {
    readonly service: { readonly baseUrl: string; readonly label: string } & Readonly<Record<string, unknown>>
    readonly nodes: readonly WatchedNode[]
  }[]
  /** Receivers of alarms, as in the configuration file. */
  readonly receivers?: readonly Readonly<Record<string, unknown>>[]
  /** Further members of the configuration file. */
  readonly provided?: Readonly<Record<string, unknown>>
  readonly args?: readonly string[]
  /** A host name for the service. With it the browser contacts the service directly. */
  readonly far?: string
  /** Path of another build's command line. */
  readonly cli?: string
}

/** Short enough for tests, and long enough for two busy cores. */
export const QUICK = { label: 'Test service', pollIntervalMs: 1_000, timeoutMs: 1_000 } as const

/** For exact counts of alarms: a starved browser meets neither the short interval nor the short time-out, and says so. */
export const UNHURRIED: Pick<StageOptions, 'service' | 'provided'> = {
  service: { ...QUICK, timeoutMs: 10_000 },
  provided: {
    alarms: {
      builtIn: ['round-too-long', 'throttled'].map((rule) => ({ rule, scope: { for: 'all' }, off: true })),
    },
  },
}

export async function setStage({
  nodes: count,
  watch,
  far,
  receivers,
  others = [],
  cli,
  ...options
}: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'stage-'))
  const port = far === undefined ? 0 : await freePort()
  const origins = far === undefined ? [] : [`http://${far}:${port}`]
  const own = { enroll: true, port, origins, ...options.reference, nodes: count }
  const reference = createBenchService(own)
  const { baseUrl: near } = await reference.listen()
  const baseUrl = origins[0] ?? near
  const { network } = reference
  const all = Array.from({ length: count }, (_, n) => ({ id: network.idOf(n), name: network.nameOf(n) }))
  const nodes = watch?.(all) ?? all
  const config = join(folder, 'config.json')
  const via = far === undefined ? 'proxy' : 'direct'
  const given = options.service && {
    services: [{ baseUrl, via, ...options.service }, ...others.map((other) => other.service)],
    nodes: [
      ...nodes,
      ...others.flatMap((other) => other.nodes.map((node) => ({ ...node, service: other.service.baseUrl }))),
    ],
  }
  writeFileSync(config, JSON.stringify({ version: 1, ...given, ...options.provided, receivers }))
  const args = ['--config', config, '--data', folder, ...(options.args ?? [])]
  let dashboard = await launchDashboard(args, cli)
  return {
    reference,
    service: baseUrl,
    get dashboard() {
      return dashboard
    },
    nodes,
    nodeUrl: ({ id }) => `${dashboard.dashboardUrl}#/nodes/${nodeKeyOf(serviceIdOf(baseUrl), id)}`,
    crash: async (whileDown) => {
      await dashboard.stop('SIGKILL')
      whileDown()
      dashboard = await launchDashboard(args, cli)
    },
    stop: async () => {
      await dashboard.stop()
      await reference.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** For polls in `beforeAll`, to which the test runner's own limits do not apply. */
export const WAIT = { timeout: 120_000, interval: 200 } as const

/** Opens the dashboard, makes a key if there is none, and waits for the first answer of the first node. */
export async function startWatching(page: Page, { dashboard }: Pick<Stage, 'dashboard'>): Promise<void> {
  await page.goto(dashboard.dashboardUrl)
  await page.getByRole('button', { name: 'Start watching' }).click()
  await hero(page).getByText('Last answer').waitFor()
}

/** The current status on a node's page. */
export const hero = (page: Page): Locator =>
  page.getByRole('region', { name: nodeTexts.hero.label, exact: true })

/** The message with this title. */
export const message = (page: Page, title: RegExp | string): Locator =>
  page.getByRole('main').getByRole('region', { name: title })

/** Opens the strip of messages, so that every message is in the page with its full text. */
export async function openMessages(page: Page): Promise<void> {
  const toggle = page.locator('.message-strip > button')
  if ((await toggle.getAttribute('aria-expanded')) !== 'true') await toggle.click()
}

/**
 * Clicks "Try now" if a message offers it. Waits for neither, because both disappear with the next good poll. The
 * button does nothing during a poll.
 */
export const tryNow = (page: Page): Promise<void> =>
  page.evaluate((label) => {
    document.querySelector<HTMLElement>('.message-strip > button[aria-expanded=false]')?.click()
    for (const button of document.querySelectorAll('button')) if (button.textContent === label) button.click()
  }, messageTexts.tryNow)

/** All messages on the screen. */
export const messages = (page: Page): Locator => page.locator('.banner')

/** The line that describes what the screen is doing. */
export const statusLine = (page: Page): Locator => page.locator('.app-shell-status')
