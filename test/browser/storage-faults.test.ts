import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { HistoryStatus } from '#history/history-status.ts'
import { HISTORY_VERSION } from '#storage/storage.ts'
import { launchLightBrowser, launchProfile } from '#test/support/launch-browser.ts'
import type { StoragePage } from './storage-page/main.ts'
import { startStorageSite, type StorageSite } from './storage-page/site.ts'

/** The faults of storage, in a real browser: what the history says of each, and that nothing is lost that it had acknowledged. */
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

/** A page whose clocks and timers the test moves, in a browser of its own or with others in one. `before`: runs in it before anything else does. */
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
  // It goes on while the page loads, which takes seconds on a busy machine.
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

/** What the status is once it has this state. */
async function when(page: Page, state: HistoryStatus['state']): Promise<HistoryStatus> {
  await expect.poll(async () => (await call(page, 'status')).state, { timeout: 8_000 }).toBe(state)
  return call(page, 'status')
}

/** The state a second later. */
async function stateLater(page: Page): Promise<HistoryStatus['state']> {
  await page.clock.runFor(1_000)
  return (await call(page, 'status')).state
}

/** Polls come, and the second after which they are to be kept goes by. */
async function poll(page: Page, node: string, count: number, status?: string): Promise<void> {
  await page.clock.runFor(1_000)
  await call(page, 'poll', node, count, ...(status === undefined ? [] : [status]))
  await page.clock.runFor(1_000)
  await call(page, 'saved')
}

/** A page that keeps history and has some. */
async function keeping(given: Parameters<typeof openPage>[0] = {}): Promise<Page> {
  const page = await openPage(given)
  await call(page, 'open', 'one')
  await poll(page, 'a', 10)
  await when(page, 'kept')
  return page
}

/** The same page loaded anew, as the next day's operator finds it. */
async function reopened(page: Page): Promise<HistoryStatus> {
  await page.reload()
  return call(page, 'open', 'later')
}

const names = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => (await indexedDB.databases()).flatMap(({ name }) => name ?? []))

/** What the browser grants to the page's origin. It looks again only now and then, so this comes before it is needed. */
async function quota(page: Page, quotaSize?: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  await session.send('Storage.overrideQuotaForOrigin', { origin, ...(quotaSize && { quotaSize }) })
}

/** Opens a database past the history, and holds it open until the page goes. */
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
  it('F 101: takes the oldest week and keeps what comes, where there is one', async () => {
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
    // The browser may free the room a moment after the week was deleted, and the next try to save comes by the clock.
    await expect.poll(() => stateLater(page), { timeout: 30_000 }).toBe('kept')
    expect(await when(page, 'kept')).toMatchObject({ removed: { reason: 'full' } })
    await reopened(page)
    expect(await call(page, 'polls', 'b', 1)).toBe(polls)
    expect(await call(page, 'polls', 'a', 8)).toBe(6_000)
  })

  it('F 101: is said, with the time since when, where there is nothing older, and ends by itself', async () => {
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

/** A small disk, where this computer lets one be made. */
const SMALL_DISK = smallDisk()
afterAll(() => SMALL_DISK?.end())

describe('a disk that is really full', () => {
  it.skipIf(SMALL_DISK === undefined)(
    'F 102: has its message, and all is kept once there is room again',
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
      // Chromium names the quota only where it had looked at the disk shortly before; else writing just fails.
      expect((await when(page, 'not-kept')).failure).toMatch(/^(full|broken)$/)
      rmSync(join(folder, 'filler'))
      await page.clock.runFor(5_000)
      await when(page, 'kept')
      await reopened(page)
      expect(await call(page, 'polls', 'a', 1)).toBe(polls)
    },
  )
})

describe('files that were damaged between two sittings', () => {
  it('F 105, 106: are said to be broken, or to have lost what was there, and never taken for a first run', async () => {
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
    // The database may have moved all of its log into other files when the browser closed: then nothing is lost.
    const isWhole = (await call(garbage, 'polls', 'a', 1)) === 10
    expect([state, lost?.lastMs]).toEqual(['kept', isWhole ? undefined : expect.any(Number)])
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  })
})

describe('a connection that dies', () => {
  it('F 103: is opened anew once, and what was cleared is said to be gone', async () => {
    const page = await keeping()
    const session = await page.context().newCDPSession(page)
    const { origin } = new URL(page.url())
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
    await poll(page, 'a', 5)
    expect(await when(page, 'kept')).toMatchObject({ lost: { lastMs: expect.any(Number) } })
    // What this session saw is still in its memory, and is kept anew with what came.
    expect((await reopened(page)).lost).toBeUndefined()
    expect(await call(page, 'polls', 'a', 1)).toBe(15)
  })

  it.each(['that can’t begin', 'that ends half-way'])(
    'F 104: does no harm to a write %s, and nothing is kept twice',
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
      }, which === 'that ends half-way')
      await poll(page, 'a', 5)
      expect(await when(page, 'kept')).toMatchObject({ failure: undefined, lost: undefined, damaged: 0 })
      expect(await call(page, 'polls', 'a', 1)).toBe(15)
      await reopened(page)
      expect(await call(page, 'polls', 'a', 1)).toBe(15)
    },
  )

  it('F 107: never calls back: after 5 s the history goes on in memory, and what opens late is closed', async () => {
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
    // A connection that nobody closes would keep its database from being deleted.
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
  it('F 108: that is newer is never written over, until the page is loaded anew', async () => {
    const page = await keeping()
    const newer = await openPage({ context: page.context() })
    await hold(newer, DATABASE, HISTORY_VERSION + 1)
    await poll(page, 'a', 5)
    expect(await when(page, 'not-kept')).toMatchObject({ failure: 'newer' })
    await page.clock.runFor(600_000)
    expect(await call(page, 'status')).toMatchObject({ state: 'not-kept', failure: 'newer' })
    expect(await call(page, 'polls', 'a', 1)).toBe(15)
  })

  it('F 109: that is older and holds a database open is named, and waited for without a hang', async () => {
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
    // The test's clock would else run past the limit before a slow browser has so much as begun to open it.
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'blockedName'))).toBe(DATABASE)
    await page.clock.runFor(5_000)
    expect(await when(page, 'not-kept')).toMatchObject({ failure: 'blocked' })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
    await old.close()
    // The browser lets go of what the closed tab held in its own time, and the next try comes by the clock.
    await expect.poll(() => stateLater(page), { timeout: 30_000 }).toBe('kept')
  })

  it('F 110: that was left half-way in its making leaves the old one whole, and it is tried again', async () => {
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

describe('a browser that keeps nothing', () => {
  it.each([
    ['has no databases', () => Object.defineProperty(globalThis, 'indexedDB', { value: undefined })],
    ['has not even the name', () => Reflect.deleteProperty(globalThis, 'indexedDB')],
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
  ])('F 111: as one that %s: it is said, and memory serves', async (_, before) => {
    const page = await openPage({ before })
    expect(await call(page, 'open', 'one')).toMatchObject({ state: 'not-kept', failure: 'none' })
    await poll(page, 'a', 10)
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })

  it('F 112: promises nothing says so', async () => {
    const page = await keeping()
    expect([await call(page, 'askToPersist'), await call(page, 'isPersistent')]).toEqual([false, false])
  })

  it('F 113: deleted everything while nobody looked: that is no first run', async () => {
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

describe('records that are not as they were written', () => {
  it('F 114: are left out and counted; all others are there', async () => {
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

describe('two tabs that both write', () => {
  it('F 115: do not mix what they keep: one gives way, reads, and goes on', async () => {
    const one = await keeping()
    const two = await openPage({ context: one.context() })
    await reopened(one)
    await call(two, 'open', 'two')
    // Both have read the same, and now each has news of a node that the other knows nothing of.
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

describe('a file of somebody else', () => {
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
  ])('F 116: with %s is refused, and the history is as it was', async (_, make, kind) => {
    const page = await keeping()
    const end = await page.evaluate(`storagePage.imports((${make.toString()})())`)
    expect(end).toMatchObject({ kind: 'refused', problem: { kind } })
    expect(await when(page, 'kept')).toMatchObject({ failure: undefined })
    expect(await call(page, 'polls', 'a', 1)).toBe(10)
  })

  it('F 116: gets no formula from ours', async () => {
    const page = await keeping()
    await poll(page, 'f', 1, '=HYPERLINK("http://evil")')
    expect(await call(page, 'exportCsv', 'f')).toContain(`"'=HYPERLINK(""http://evil"")"`)
  })
})

/** Writes the database as the version before left it: without the table that came later, all else as it is. */
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

/** Does something to each file of an origin's databases whose name fits; there must be one. */
function damage(profile: string, host: string, fits: RegExp, how: (file: string) => void): void {
  const folder = join(profile, 'Default', 'IndexedDB')
  const origin =
    readdirSync(folder).find((name) => name.includes(`_${host}.`) && name.endsWith('.leveldb')) ?? ''
  const files = readdirSync(join(folder, origin)).filter((name) => fits.test(name))
  expect(files).not.toEqual([])
  for (const file of files) how(join(folder, origin, file))
}

/** A disk of 60 MB in memory; only root may make one, and only on Linux. */
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
