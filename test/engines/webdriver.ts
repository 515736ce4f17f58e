import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/support/free-port.ts'

/** The W3C WebDriver key of an element reference. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
export type ElementRef = Readonly<Record<string, string>>

/** An unmodified browser with a new profile, controlled through WebDriver commands. */
export type DrivenBrowser = {
  readonly goTo: (url: string) => Promise<void>
  readonly reload: () => Promise<void>
  /** Runs a function body in the page. */
  readonly run: (script: string, args?: readonly unknown[]) => Promise<unknown>
  readonly click: (element: ElementRef) => Promise<void>
  /** Also works for a file field, which takes a path. */
  readonly type: (element: ElementRef, text: string) => Promise<void>
  readonly version: string
  readonly close: () => Promise<void>
}

export const isElement = (value: unknown): value is ElementRef =>
  typeof value === 'object' && value !== null && ELEMENT in value

/** Sends a WebDriver command by name. Rejects with the browser's own message. */
type Send = (name: Command, parameters: Readonly<Record<string, unknown>>) => Promise<unknown>
type Command = 'NewSession' | 'Navigate' | 'Refresh' | 'ExecuteScript' | 'ElementClick' | 'ElementSendKeys'

const START_LIMIT_MS = 60_000

async function driven(send: Send, capabilities: object, end: () => Promise<void>): Promise<DrivenBrowser> {
  try {
    const session: unknown = await send('NewSession', { capabilities: { alwaysMatch: capabilities } })
    const { browserName, browserVersion } = {
      browserName: '',
      browserVersion: '',
      ...membersOf(membersOf(session)['capabilities']),
    }
    return {
      goTo: async (url) => void (await send('Navigate', { url })),
      reload: async () => void (await send('Refresh', {})),
      run: (script, args = []) => send('ExecuteScript', { script, args }),
      click: async (element) => void (await send('ElementClick', { id: element[ELEMENT] })),
      type: async (element, text) => void (await send('ElementSendKeys', { id: element[ELEMENT], text })),
      version: `${browserName} ${browserVersion}`,
      close: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => ({ ...Object(value) })

/** Firefox accepts these commands over TCP with its own protocol (Marionette), so it needs no driver. */
export async function openFirefox(): Promise<DrivenBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'engine-firefox-'))
  const port = await freePort()
  const prefs: Readonly<Record<string, number | boolean | string>> = {
    'marionette.port': port,
    'app.update.enabled': false,
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'toolkit.telemetry.enabled': false,
  }
  const lines = Object.entries(prefs).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join('\n'))
  const stop = start('firefox-esr', ['--headless', '--marionette', '--no-remote', '--profile', profile])
  const end = async (): Promise<void> => {
    await stop()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const socket = await connected(port)
    return await driven(marionette(socket), {}, async () => {
      socket.destroy()
      await end()
    })
  } catch (error) {
    await end()
    throw error
  }
}

/** Messages are `LENGTH:JSON`. A command is [0, id, name, parameters], and its answer [1, id, error, result]. */
function marionette(socket: Socket): Send {
  const waiting = new Map<
    number,
    { readonly name: Command; readonly done: (answer: readonly unknown[]) => void }
  >()
  let received = Buffer.alloc(0)
  let lastId = 0
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.subarray(0, colon).toString())
      if (colon === -1 || received.length < end) return
      const message: unknown = JSON.parse(received.subarray(colon + 1, end).toString())
      received = received.subarray(end)
      if (Array.isArray(message)) waiting.get(Number(message[1]))?.done(message)
    }
  })
  return async (name, parameters) => {
    const id = ++lastId
    const answer = new Promise<readonly unknown[]>((done) => waiting.set(id, { name, done }))
    const text = JSON.stringify([0, id, `WebDriver:${name}`, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [, , error, result] = await answer
    waiting.delete(id)
    if (error !== null) throw new Error(`${name}: ${JSON.stringify(error)}`)
    const { value, ...rest } = membersOf(result)
    return value === undefined ? rest : value
  }
}

const MINI_BROWSERS = ['4.1', '6.0', '4.0'].map(
  (version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
)

/** WebKitGTK has a driver that accepts WebDriver over HTTP, and a small browser, which needs a display. */
export async function openWebKit(): Promise<DrivenBrowser> {
  const port = await freePort()
  const stop = start('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'])
  try {
    const socket = await connected(port)
    socket.destroy()
    const base = `http://127.0.0.1:${port}/session`
    let session = ''
    const send: Send = async (name, parameters) => {
      const path = {
        NewSession: '',
        Navigate: '/url',
        Refresh: '/refresh',
        ExecuteScript: '/execute/sync',
        ElementClick: `/element/${String(parameters['id'])}/click`,
        ElementSendKeys: `/element/${String(parameters['id'])}/value`,
      }[name]
      const answer = await fetch(`${base}${session}${path}`, {
        method: 'POST',
        body: JSON.stringify(parameters),
      })
      const { value } = membersOf(await answer.json())
      if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(value)}`)
      if (name === 'NewSession') session = `/${String(membersOf(value)['sessionId'])}`
      return value
    }
    const binary = MINI_BROWSERS.find((file) => existsSync(file)) ?? 'MiniBrowser'
    return await driven(
      send,
      { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } },
      async () => {
        if (session !== '') await fetch(`${base}${session}`, { method: 'DELETE' })
        await stop()
      },
    )
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a program in a process group of its own. Returns a function that ends the whole group. */
function start(program: string, args: readonly string[]): () => Promise<void> {
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', detached: true })
  const exited = new Promise<void>((done) => {
    child.once('exit', () => done())
    child.once('error', () => done())
  })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The whole group has ended.
    }
  }
  process.once('exit', kill)
  return async () => {
    process.off('exit', kill)
    kill()
    await exited
  }
}

/** Retries, because a program that was just started does not listen yet. */
async function connected(port: number): Promise<Socket> {
  const limit = AbortSignal.timeout(START_LIMIT_MS)
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const came = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    if (came) return socket
    socket.destroy()
    if (limit.aborted) throw new Error(`nothing listens on port ${port}`)
    await pause(100)
  }
}
