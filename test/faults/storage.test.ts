import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { HistoryStatus } from '#history/history-status.ts'
import { HISTORY_VERSION } from '#storage/storage.ts'
import { launchLightBrowser, launchProfile } from '#test/support/launch-browser.ts'
import type { StoragePage } from '#test/browser/storage-page/main.ts'
import { startStorageSite, type StorageSite } from '#test/browser/storage-page/site.ts'

/** Storage faults in a real browser: the reported status, and that no saved data is lost. */
const START_MS = Date.UTC(2026, 10, 18, 9, 20)
const DAY_MS = 86_400_000
const DATABASE = 'immune-history-store-1'

let site: StorageSite
let browser: Browser
const contexts = new Set<BrowserContext>()

beforeAll(async () => {
  ;[site, browser] = await Promise.all([startStorageSite(), launchLightBrowser()])
})
afterEach(async () => {
  await Promise.all(Array.from(contexts, (context) => context.close()))
  contexts.clear()
})
afterAll(async () => {
  await browser.close()
  await site.stop()
})

/** A page whose clock and timers the test controls. `before` runs before any other script. */
async function openPage(
  given: { context?: BrowserContext; atMs?: number; before?: () => void; host?: string } = {},
): Promise<Page> {
  const context = given.context ?? (await browser.newContext())
  contexts.add(context)
  const page = await context.newPage()
  const atMs = given.atMs ?? START_MS
  await page.clock.install({ time: atMs })
  if (given.before !== undefined) await page.addInitScript(given.before)
  await page.goto(site.urlOf(given.host ?? 'history'))
  // The clock runs while the page loads, which takes seconds on a busy machine.
  await page.clock.pauseAt(atMs + 30_000)
  return page
}

const call = <Name extends keyof StoragePage>(
  page: Page,
  name: Name,
  ...given: Parameters<StoragePage[Name]>
): Promise<Awaited<ReturnType<StoragePage[Name]>>> =>
  page.evaluate(([which, values]) => Reflect.apply(globalThis.storagePage[which], undefined, values), [
    name,
    given,
  ] as const) as Promise<Awaited<ReturnType<StoragePage[Name]>>>

/** Waits for this state and returns the status. */
async function when(page: Page, state: HistoryStatus['state']): Promise<HistoryStatus> {
  await expect.poll(async () => (await call(page, 'status')).state).toBe(state)
  return call(page, 'status')
}

/** The state one second later. */
async function stateLater(page: Page): Promise<HistoryStatus['state']> {
  await page.clock.runFor(1_000)
  return (await call(page, 'status')).state
}

/** Adds polls, and advances the clock past the second after which they are saved. */
async function poll(page: Page, node: string, count: number, status?: string): Promise<void> {
  await page.clock.runFor(1_000)
  await call(page, 'poll', node, count, ...(status === undefined ? [] : [status]))
  await page.clock.runFor(1_000)
  await call(page, 'saved')
}

/** A page with a working history that has samples. */
async function keeping(given: Parameters<typeof openPage>[0] = {}): Promise<Page> {
  const page = await openPage(given)
  await call(page, 'open', 'one')
  await poll(page, 'a', 10)
  await when(page, 'kept')
  return page
}

/** Reloads the page and opens the history again. */
async function reopened(page: Page): Promise<HistoryStatus> {
  await page.reload()
  return call(page, 'open', 'later')
}

const names = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => (await indexedDB.databases()).flatMap(({ name }) => name ?? []))

/** Sets the quota of the page's origin. The browser checks it only occasionally, so call this early. */
async function quota(page: Page, quotaSize?: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  await session.send('Storage.overrideQuotaForOrigin', { origin, ...(quotaSize && { quotaSize }) })
}

/** Opens a database without the history's code and keeps it open until the page closes. */
const hold = (page: Page, name: string, version: number): Promise<void> =>
  page.evaluate(
    ([which, wanted]) =>
      new Promise<void>((done, failed) => {
        const request = indexedDB.open(which, wanted)
        request.addEventListener('success', () => {
          Object.assign(globalThis, { held: request.result })
          done()
        })
        request.addEventListener('error', () => failed(new Error(String(request.error))))
      }),
    [name, version] as const,
  )

describe('a full disk', () => {
  it('F 101: deletes the oldest week, if there is one, and keeps new samples', async () => {
    const page = await openPage()
    await quota(page, 2_000_000)
    await call(page, 'open', 'one')
    let polls = 0
    for (let week = 0; week < 2; week++) {
      for (let round = 0; round < 6; round++) await poll(page, 'a', 1_000, '')
      await page.clock.fastForward(7 * DAY_MS)
    }
    for (; (await call(page, 'status')).removed === undefined && polls < 30_000; polls += 1_000)
      await poll(page, 'b', 1_000, '')
    // The browser may free space long after the deletion, and the clock triggers the next attempt to save.
    await expect.poll(() => stateLater(page), { timeout: 30_000 }).toBe('kept')
    expect(await when(page, 'kept')).toMatchObject({ removed: { reason: 'full' } })
    await reopened(page)
    expect(await call(page, 'polls', 'b', 1)).toBe(polls)
    expect(await call(page, 'polls', 'a', 8)).toBe(6_000)
  })

  it('F 101: is reported with its start if no older week exists, and recovers by itself', async () => {
    const page = await openPage()
    await quota(page, 500_000)
    await call(page, 'open', 'one')
    let polls = 0
    let before = await call(page, 'status')
    for (; (await call(page, 'status')).state === 'kept' && polls < 30_000; polls += 1_000) {
      before = await call(page, 'status')
      await poll(page, 'a', 1_000, '')
    }
    const since = { failure: 'full', removed: undefined, notKeptSinceMs: before.savedToMs }
    expect(await when(page, 'not-kept')).toMatchObject(since)
    expect(await call(page, 'polls', 'a', 1)).toBe(polls)
    await quota(page)
    await page.clock.runFor(5_000)
    await when(page, 'kept')
    await reopened(page)
    expect(await call(page, 'polls', 'a', 1)).toBe(polls)
  })
})

/** A small disk, if this computer can create one. */
const SMALL_DISK = smallDisk()
afterAll(() => SMALL_DISK?.end())

describe('a disk that is physically full', () => {
  it.skipIf(SMALL_DISK === undefined)(
    'F 102: has its message, and all samples are saved once there is space',
    async () => {
      const folder = SMALL_DISK?.folder ?? ''
      const context = await launchProfile(join(folder, 'profile'))
      const page = await openPage({ context })
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize - 3_000_000, 1))
      await call(page, 'open', 'one')
      let polls = 0
      for (; (await call(page, 'status')).state === 'kept' && polls < 60_000; polls += 2_000)
        await poll(page, 'a', 2_000, '')
      // Chromium reports the quota only if it checked the disk recently; otherwise the write just fails.
      expect((await when(page, 'not-kept')).failure).toMatch(/^(full|broken)$/)
      rmSync(join(folder, 'filler'))
      await page.clock.runFor(5_000)
      await when(page, 'kept')
      await reopened(page)
      expect(await call(page, 'polls', 'a', 1)).toBe(polls)
    },
  )
})

describe('files damaged between two sessions', () => {
  it('F 105, 106: are reported as broken or as lost data, and never count as a first run', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'storage-'))
    const before = await launchProfile(profile)
    for (const host of ['broken', 'garbage']) await keeping({ context: before, host })
    await before.close()
    contexts.delete(before)
    damage(profile, 'broken', /^MANIFEST/, (file) => rmSync(file))
    damage(profile, 'garbage', /\.log$/, (file) => writeFileSync(file, 'x'.repeat(4_096)))
    const context = await launchProfile(profile)
    const broken = await openPage({ context, host: 'broken' })
    expect(await call(broken, 'open', 'two')).toMatchObject({ state: 'not-kept', failure: 'broken' })
    await poll(broken, 'a', 5)
    expect(await call(broken, 'polls', 'a', 1)).toBe(5)
    const garbage = await openPage({ context, host: 'garbage' })
    const { state, lost } = await call(garbage, 'open', 'two')
    // If the database moved its whole log into other files when the browser closed, nothing is lost.
    const isWhole = (await call(garbage, 'polls', 'a', 1)) === 10
    expect([state, lost?.lastMs]).toEqual(['kept', isWhole ? undefined : expect.any(Number)])
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  })
})

describe('a lost database connection', () => {
  it('F 103: is reopened once, and cleared data is reported as lost', async () => {
    const page = await keeping()
    const session = await page.context().newCDPSession(page)
    const { origin } = new URL(page.url())
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
    await poll(page, 'a', 5)
    expect(await when(page, 'kept')).toMatchObject({ lost: { lastMs: expect.any(Number) } })
    // This session's samples are still in memory, and are saved again with the new ones.
    expect((await reopened(page)).lost).toBeUndefined()
    expect(await call(page, 'polls', 'a', 1)).toBe(15)
  })

  it.each(['that can’t begin', 'that aborts half-way'])(
    'F 104: does not harm a write %s, and nothing is saved twice',
    async (which) => {
      const page = await keeping()
      await page.evaluate((isHalfWay) => {
        const transaction = Reflect.get(IDBDatabase.prototype, 'transaction')
        let left = 1
        IDBDatabase.prototype.transaction = function (this: IDBDatabase, tables, mode, options) {
          if (mode !== 'readwrite' || left-- <= 0)
            return Reflect.apply(transaction, this, [tables, mode, options])
          if (!isHalfWay) throw new DOMException('The database connection is closing.', 'InvalidStateError')
          const made: IDBTransaction = Reflect.apply(transaction, this, [tables, mode, options])
          queueMicrotask(() => made.abort())
          return made
        }
      }, which === 'that aborts half-way')
      await poll(page, 'a', 5)
      expect(await when(page, 'kept')).toMatchObject({ failure: undefined, lost: undefined, damaged: 0 })
      expect(await call(page, 'polls', 'a', 1)).toBe(15)
      await reopened(page)
      expect(await call(page, 'polls', 'a', 1)).toBe(15)
    },
  )

  it('F 107: never calls back: after 5 s history continues in memory, and a late connection is closed', async () => {
    const page = await openPage({
      before: () => {
        const open = Reflect.get(IDBFactory.prototype, 'open')
        const held: IDBOpenDBRequest[] = []
        let isHolding = true
        IDBFactory.prototype.open = function (this: IDBFactory, name, version) {
          const request: IDBOpenDBRequest = Reflect.apply(open, this, [name, version])
          request.addEventListener('success', (event) => {
            if (!isHolding) return
            event.stopImmediatePropagation()
            held.push(request)
          })
          return request
        }
        Object.assign(globalThis, {
          letGo: () => {
            isHolding = false
            for (const request of held) request.dispatchEvent(new Event('success'))
          },
        })
      },
    })
    await page.evaluate(() => void globalThis.storagePage.open('one'))
    await call(page, 'poll', 'a', 10)
    await page.clock.runFor(1_000)
    await expect.poll(() => names(page)).toEqual([DATABASE])
    await page.clock.runFor(5_000)
    expect(await when(page, 'not-kept')).toMatchObject({ failure: 'no-answer' })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
    await page.evaluate('letGo()')
    // An open connection would block the deletion of its database.
    await page.evaluate(
      (name) =>
        new Promise<void>((done) => {
          indexedDB.deleteDatabase(name).addEventListener('success', () => done())
        }),
      DATABASE,
    )
    await page.clock.runFor(5_000)
    expect(await when(page, 'kept')).toMatchObject({ lost: undefined })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })
})

describe('another version', () => {
  it('F 108: that is newer is never overwritten until the page is reloaded', async () => {
    const page = await keeping()
    const newer = await openPage({ context: page.context() })
    await hold(newer, DATABASE, HISTORY_VERSION + 1)
    await poll(page, 'a', 5)
    expect(await when(page, 'not-kept')).toMatchObject({ failure: 'newer' })
    await page.clock.runFor(600_000)
    expect(await call(page, 'status')).toMatchObject({ state: 'not-kept', failure: 'newer' })
    expect(await call(page, 'polls', 'a', 1)).toBe(15)
  })

  it('F 109: that is older and blocks the upgrade is reported, and the page waits without a hang', async () => {
    const old = await openPage()
    await hold(old, DATABASE, HISTORY_VERSION)
    const page = await openPage({
      context: old.context(),
      before: () => {
        const open = Reflect.get(IDBFactory.prototype, 'open')
        IDBFactory.prototype.open = function (this: IDBFactory, name, version) {
          const request: IDBOpenDBRequest = Reflect.apply(open, this, [name, version])
          request.addEventListener('blocked', () => Object.assign(globalThis, { blockedName: name }))
          return request
        }
      },
    })
    await page.evaluate((next) => void globalThis.storagePage.open('one', next), HISTORY_VERSION + 1)
    await call(page, 'poll', 'a', 10)
    // Otherwise the test's clock could pass the limit before a slow browser has begun to open the database.
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'blockedName'))).toBe(DATABASE)
    await page.clock.runFor(5_000)
    expect(await when(page, 'not-kept')).toMatchObject({ failure: 'blocked' })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
    await old.close()
    // The browser releases the closed tab's connection at its own time, and the clock triggers the next attempt.
    await expect.poll(() => stateLater(page), { timeout: 30_000 }).toBe('kept')
  })

  it('F 110: whose upgrade was interrupted leaves the old one intact, and is retried', async () => {
    const page = await keeping()
    await page.reload()
    await withoutEvents(page)
    await page.evaluate(() => {
      const createObjectStore = Reflect.get(IDBDatabase.prototype, 'createObjectStore')
      let left = 1
      IDBDatabase.prototype.createObjectStore = function (this: IDBDatabase, name, options) {
        if (left-- > 0) throw new Error('the page died')
        return Reflect.apply(createObjectStore, this, [name, options])
      }
    })
    expect(await call(page, 'open', 'two', HISTORY_VERSION + 1)).toMatchObject({
      state: 'not-kept',
      lost: undefined,
    })
    const versions = await page.evaluate(async () =>
      (await indexedDB.databases()).map(({ version }) => version),
    )
    expect(versions).toEqual([HISTORY_VERSION])
    await page.clock.runFor(5_000)
    expect(await when(page, 'kept')).toMatchObject({ lost: undefined, damaged: 0 })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })
})

describe('a browser without storage', () => {
  it.each([
    ['has no databases', () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined })],
    ['lacks the API', () => Reflect.deleteProperty(globalThis, 'indexedDB')],
    [
      'refuses everything',
      () => {
        const refuse = (): never => {
          throw new DOMException('Access is denied.', 'SecurityError')
        }
        Object.defineProperty(globalThis, 'localStorage', { get: refuse })
        Object.assign(IDBFactory.prototype, { open: refuse, databases: refuse, deleteDatabase: refuse })
      },
    ],
  ])('F 111: that %s: the page reports it and uses memory', async (_, before) => {
    const page = await openPage({ before })
    expect(await call(page, 'open', 'one')).toMatchObject({ state: 'not-kept', failure: 'none' })
    await poll(page, 'a', 10)
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })

  it('F 112: that grants no persistence: the page reports it', async () => {
    const page = await keeping()
    expect([await call(page, 'askToPersist'), await call(page, 'isPersistent')]).toEqual([false, false])
  })

  it('F 113: that deleted everything while closed: it does not count as a first run', async () => {
    const page = await keeping()
    await page.clock.runFor(10_000)
    const { sentinel } = await call(page, 'status')
    await page.reload()
    await page.evaluate(async () => {
      for (const { name = '' } of await indexedDB.databases())
        await new Promise<void>((done) => {
          indexedDB.deleteDatabase(name).addEventListener('success', () => done())
        })
    })
    expect(await call(page, 'open', 'two')).toMatchObject({
      state: 'kept',
      lost: { lastMs: sentinel?.lastMs },
    })
  })
})

describe('damaged records', () => {
  it('F 114: are skipped and counted, and all others remain', async () => {
    const page = await keeping()
    await page.reload()
    await page.evaluate(
      (name) =>
        new Promise<void>((done) => {
          indexedDB.open(name).addEventListener('success', ({ target }) => {
            const { result: database } = target as IDBOpenDBRequest
            const transaction = database.transaction('recent', 'readwrite')
            const recent = transaction.objectStore('recent')
            recent.put(new Uint8Array([1, 2, 3]), [5])
            recent.put('no bytes', [6])
            recent.put({ __proto__: null, rows: 1e9 }, [7])
            transaction.addEventListener('complete', () => {
              database.close()
              done()
            })
          })
        }),
      DATABASE,
    )
    expect(await call(page, 'open', 'two')).toMatchObject({ state: 'kept', damaged: 3, lost: undefined })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })
})

describe('two tabs that write', () => {
  it('F 115: do not mix their data: one yields, reads and continues', async () => {
    const one = await keeping()
    const two = await openPage({ context: one.context() })
    await reopened(one)
    await call(two, 'open', 'two')
    // Both have read the same data, and now each has new samples that the other does not know.
    await poll(one, 'b', 20)
    await poll(two, 'c', 30)
    const failures = await Promise.all([one, two].map(async (page) => (await call(page, 'status')).failure))
    expect(failures.filter((failure) => failure !== undefined)).toEqual(['taken'])
    await poll(one, 'b', 20)
    for (const page of [one, two]) await expect.poll(() => stateLater(page), { timeout: 30_000 }).toBe('kept')
    expect(await reopened(two)).toMatchObject({ damaged: 0, lost: undefined })
    const polls = await Promise.all(['a', 'b', 'c'].map((node) => call(two, 'polls', node, 1)))
    expect(polls).toEqual([10, 40, 30])
  })
})

describe('a foreign file', () => {
  it.each([
    ['no history', () => new Blob(['{"format":"something","rows":[\n1]}']), 'not-ours'],
    ['no text', () => new Blob([new Uint8Array(1_000_000).fill(255)]), 'not-ours'],
    [
      '500 MB in one line',
      () => {
        const part = new Blob(['x'.repeat(10_000_000)])
        return new Blob(Array.from({ length: 50 }, () => part))
      },
      'too-long-line',
    ],
  ])('F 116: with %s is rejected, and the history is unchanged', async (_, make, kind) => {
    const page = await keeping()
    const end = await page.evaluate(`storagePage.imports((${make.toString()})())`)
    expect(end).toMatchObject({ kind: 'refused', problem: { kind } })
    expect(await when(page, 'kept')).toMatchObject({ failure: undefined })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })

  it('F 116: gets no formula from our export', async () => {
    const page = await keeping()
    await poll(page, 'f', 1, '=HYPERLINK("http://evil")')
    expect(await call(page, 'exportCsv', 'f')).toContain(`"'=HYPERLINK(""http://evil"")"`)
  })
})

/** Writes the database as the previous version left it, without the table that was added later. */
const withoutEvents = (page: Page): Promise<void> =>
  page.evaluate(
    async ([name, version]) => {
      const opened = (wanted?: number, upgrade?: (database: IDBDatabase) => void): Promise<IDBDatabase> =>
        new Promise((done) => {
          const request = indexedDB.open(name, wanted)
          request.addEventListener('upgradeneeded', () => upgrade?.(request.result))
          request.addEventListener('success', () => done(request.result))
        })
      const answer = <T>(request: IDBRequest<T>): Promise<T> =>
        new Promise((done) => {
          request.addEventListener('success', () => done(request.result))
        })
      const now = await opened()
      const tables = Array.from(now.objectStoreNames).filter((table) => table !== 'events')
      const rows = await Promise.all(
        tables.map(async (table) => {
          const store = now.transaction(table).objectStore(table)
          const [keys, values] = await Promise.all([answer(store.getAllKeys()), answer(store.getAll())])
          return keys.map((key, place) => ({ table, key, value: values[place] as unknown }))
        }),
      )
      now.close()
      await answer(indexedDB.deleteDatabase(name))
      const old = await opened(version, (database) => {
        for (const table of tables) database.createObjectStore(table)
      })
      const transaction = old.transaction(tables, 'readwrite')
      for (const { table, key, value } of rows.flat()) transaction.objectStore(table).put(value, key)
      await new Promise((done) => {
        transaction.addEventListener('complete', done)
      })
      old.close()
    },
    [DATABASE, HISTORY_VERSION] as const,
  )

/** Changes all matching files of an origin's databases. At least one must match. */
function damage(profile: string, host: string, fits: RegExp, how: (file: string) => void): void {
  const folder = join(profile, 'Default', 'IndexedDB')
  const origin =
    readdirSync(folder).find((name) => name.includes(`_${host}.`) && name.endsWith('.leveldb')) ?? ''
  const files = readdirSync(join(folder, origin)).filter((name) => fits.test(name))
  expect(files).not.toEqual([])
  for (const file of files) how(join(folder, origin, file))
}

/** A memory disk of 60 MB. Only Linux supports it, and only root may create it. */
function smallDisk(): { readonly folder: string; readonly end: () => void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', folder])
  if (status !== 0) {
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    end: () => {
      spawnSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}
