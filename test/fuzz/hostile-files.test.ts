import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import nacl from 'tweetnacl'
import { expect, it } from 'vitest'
import { KEY_FILE_BYTES_MAX, readKey } from '#keys/read-key.ts'
import type { TransferEnd } from '#history/transfer/transfer.ts'
import { METRICS } from '#metrics/metrics.ts'
import { NODE_NAME_CHARS_MAX, parseNodeList } from '#settings/node-list.ts'
import { salvageSettings, parseServerFile, parseSettings } from '#settings/documents.ts'
import { createKept, linesOf } from '#test/core/history/store/kept-history.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import { KEY_FILE_VARIANTS, KEY_FILES, keyFileBytes } from '#test/support/key-files.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { keyFileProblem } from '#texts/en-key-formats.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import * as good from './good.ts'
import { changedBytes, changedValue } from './mutate.ts'
import { createRandom, FuzzFailure, isAll, seedsOf, type Random } from './random.ts'

const FILE = 'test/fuzz/hostile-files.test.ts'
const DECODER = new TextDecoder()
const ENCODER = new TextEncoder()

const vector = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../vectors/settings', name), 'utf8')
const SETTINGS = vector('settings-v1.json')
const CONFIG = vector('config-v1.json')
const BACK_MS = 600_000

/** Runs `check` on this many changed files, and reports the one on which it throws. */
async function each<T>(
  count: number,
  make: (random: Random) => T,
  check: (input: T) => void | Promise<void>,
): Promise<void> {
  for (const seed of seedsOf(10)) {
    const random = createRandom(seed)
    for (let place = 0; place < count / 10; place++) {
      const input = make(random)
      try {
        await check(input)
      } catch (error) {
        throw new FuzzFailure(
          FILE,
          seed,
          place,
          input instanceof Uint8Array ? Array.from(input) : input,
          error,
        )
      }
    }
  }
}

/** A JSON document with changed values or changed bytes. */
const changedJson =
  (document: string) =>
  (random: Random): string =>
    random.chance(0.4)
      ? DECODER.decode(changedBytes(ENCODER.encode(document), random))
      : changedValue(document, random)

it('5,000 settings: accepted members are valid, and rejected ones are named', async () => {
  let refused = 0
  await each(5_000, changedJson(SETTINGS), (text) => {
    const { settings, used, dropped, droppedCount, isNewer } = salvageSettings(text)
    good.kept(settings, 'settings', 2_000)
    good.kept(dropped, 'rejected members', 6_000)
    const again = parseSettings(JSON.parse(JSON.stringify(settings)))
    good.rule(again.ok && JSON.stringify(again.value) === JSON.stringify(settings), 'it parses again', again)
    if (used === 'all') good.rule(droppedCount === 0 && !isNewer, 'nothing is dropped silently', dropped)
    // A valid document is accepted completely.
    const whole = wholeJson(text)
    const strict = whole === undefined ? undefined : parseSettings(whole)
    if (strict?.ok === true) good.rule(used === 'all', 'a valid document is accepted', used)
    if (strict?.ok === false) {
      refused++
      // An invalid version counts as the first version.
      const isBad = strict.error.some(({ path }) => path !== 'version')
      good.rule((used !== 'all' || !isBad) && strict.error.length > 0, 'problems are named', strict.error)
      for (const { message, path } of strict.error) {
        good.rule(message !== '' && message.length < 6_000, 'a problem has a message', { path, message })
      }
    }
  })
  expect(refused).toBeGreaterThan(isAll() ? 300 : 10)
})

function wholeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

it('1,000 configuration files: accepted completely, or rejected with the problems', () =>
  each(1_000, changedJson(CONFIG), (text) => {
    const document = wholeJson(text)
    if (document === undefined) return
    const parsed = parseServerFile(document)
    if (parsed.ok) {
      good.kept(parsed.value, 'configuration', 2_000)
      const urls = parsed.value.config.services.map(({ baseUrl }) => baseUrl)
      for (const url of urls)
        good.rule(
          /^https?:\/\/[a-z0-9.:[\]-]+(\/[\x21-\x7e]*)?$/i.test(url),
          'an address is plain ASCII',
          url,
        )
    } else good.rule(parsed.error.length > 0, 'problems are named', parsed.error)
  }))

const LIST =
  'id,name,tags\n0x7f3a9c1eb48d02e1,vela-007,eu\n0x1b22d0f4a9937c55;"vela; 008";us\nown my node #north\n# remark\n0x3 third\n\n0x4\tfourth\t#eu #us\n'

it('2,000 lists of nodes: every line is a node or is reported as bad', () =>
  each(
    2_000,
    (random) => DECODER.decode(changedBytes(ENCODER.encode(LIST), random)),
    (text) => {
      const { nodes, bad, badCount, repeatedCount, badText } = parseNodeList(text)
      good.kept({ nodes, bad }, 'list', 300)
      for (const { id, name } of nodes) {
        good.rule(id === undefined || /^[\x21-\x7e]+$/.test(id), 'an id is plain ASCII', id)
        good.rule((name?.length ?? 0) <= NODE_NAME_CHARS_MAX * 2, 'a name is short', name)
      }
      const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/^\ufeff/, '').trim())
      const meant = lines.filter((line) => line !== '' && !line.startsWith('#')).length
      // A quoted name may contain line breaks, which the parsed name does not keep.
      const inQuotes = (text.match(/"[^"]*"/g) ?? []).join('').split(/\r\n|\r|\n/).length - 1
      const lost = meant - nodes.length - badCount - inQuotes
      good.rule(lost <= 1, 'only the heading is lost', { meant, badCount, inQuotes })
      good.rule((badText === '') === (badCount === repeatedCount), 'bad lines remain for correction', badText)
    },
  ))

const KEYS = [...KEY_FILES, ...KEY_FILE_VARIANTS].map(({ file }) => file)

it('8,000 key files: a key is the one in the file, and everything else is refused with a message', async () => {
  let read = 0
  await each(
    8_000,
    (random) => changedBytes(keyFileBytes(KEYS[random.below(KEYS.length)] ?? ''), random),
    async (bytes) => {
      const before = Uint8Array.from(bytes)
      const key = await readKey(bytes)
      good.rule(isDeepStrictEqual(bytes, before), 'the file is unchanged', bytes.length)
      if (key.outcome === 'refused') good.shown(keyFileProblem(key.problem), 'problem')
      if (key.outcome !== 'read') return
      read++
      good.rule(key.seed.length === 32 && bytes.length <= KEY_FILE_BYTES_MAX, 'a seed has 32 bytes', key.kind)
      const { publicKey } = nacl.sign.keyPair.fromSeed(key.seed)
      good.rule(
        isDeepStrictEqual(Uint8Array.from(key.publicKey), publicKey),
        'the public key matches',
        key.kind,
      )
    },
  )
  expect(read).toBeGreaterThan(0)
})

/** Ten minutes of a node's history, in a separate store. */
async function aHistory(writer: string, startMs = TEST_START_MS) {
  const kept = createKept(createMemoryStorage(), createFakeClock(startMs), writer)
  await kept.start()
  for (let place = 0; place < 10; place++) {
    await kept.add('s!1', { status: 'ACTIVE', stake: 5 + place, participation: 0.5, threatResponses: place })
    await kept.clock.advance(60_000)
  }
  await kept.history.saved()
  return kept
}
type Kept = Awaited<ReturnType<typeof aHistory>>

const whatIsThere = (kept: Kept) =>
  kept.history.readSeriesData({
    node: 's!1',
    fromMs: TEST_START_MS - BACK_MS * 10,
    toMs: TEST_START_MS + BACK_MS * 100,
    columns: 500,
    barMs: 60_000,
    maxGapMs: 150_000,
  })

const clear = (end: TransferEnd): void => good.shown(transferTexts.end(end, 'restore'), 'problem')

it('500 backups: restored completely, or rejected without any change', async () => {
  const { text } = await (await aHistory('of-backup')).transfer({ what: 'backup', settings: { version: 1 } })
  const kept = await aHistory('one')
  const before = await whatIsThere(kept)
  let refused = 0
  await each(
    500,
    (random) => DECODER.decode(changedBytes(ENCODER.encode(text), random)),
    async (changed) => {
      const { end } = await kept.transfer({ what: 'restore', file: linesOf(changed) })
      if (end.kind === 'done') {
        good.rule(changed.trimEnd() === text.trimEnd(), 'only an unchanged file is restored', end)
        return
      }
      good.rule(end.kind === 'refused', 'it is rejected', end)
      clear(end)
      refused++
      good.rule(isDeepStrictEqual(await whatIsThere(kept), before), 'nothing is lost', end)
    },
  )
  expect(refused).toBeGreaterThan(0)
  kept.history.dispose()
})

it('500 exports: an import accepts only values that a service could have sent', async () => {
  const source = await aHistory('of-export', TEST_START_MS - 7_200_000)
  const query = { node: 's!1', fromMs: 0, toMs: TEST_START_MS, tier: 'samples', form: 'json' } as const
  const { text } = await source.transfer({ what: 'export', query })
  let [refused, taken] = [0, 0]
  await each(
    500,
    (random) => DECODER.decode(changedBytes(ENCODER.encode(text), random)),
    async (changed) => {
      const other = createKept(createMemoryStorage(), createFakeClock(TEST_START_MS), 'two')
      await other.start()
      const { end } = await other.transfer({ what: 'import', file: linesOf(changed) })
      clear(end)
      if (end.kind === 'refused') refused++
      else taken++
      const data = await other.lanes('s!1', 7_300_000)
      good.rule(end.kind === 'done' || data.samples === 0, 'nothing of a rejected file is imported', end)
      for (const series of data.metrics)
        if (series.kind === 'line')
          for (const value of series.points.value) {
            good.drawn(value, series.id)
            good.rule(
              METRICS.some(({ id }) => id === series.id),
              'a known metric',
              series.id,
            )
          }
      other.history.dispose()
    },
  )
  expect(refused).toBeGreaterThan(0)
  expect(taken).toBeGreaterThan(0)
  source.history.dispose()
})
