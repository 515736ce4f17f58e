import { describe, expect, it } from 'vitest'
import type { StoredAlarms } from '#alarms/alarm-store.ts'
import type { LogEntry } from '#history/event-log.ts'
import { ENTRIES_MAX, openWatchJournal } from '#watch/watch-journal.ts'
import { openWatchStores } from '#watch/watch-stores.ts'
import { memoryDisk } from './watch-fixture.ts'

const entry = (index: number): LogEntry => ({ wallMs: 1_000 + index, area: 'watching', what: `e${index}` })
const silent = (): void => undefined

describe('the journal of a watch', () => {
  const { texts, open } = memoryDisk('')
  const journal = () => openWatchJournal(open().files, silent)
  const wordsOf = async (limit: number, before?: string) => {
    const page = await journal().read({ limit, ...(before !== undefined && { before }) })
    return { words: page.entries.map(({ what }) => what), before: page.before }
  }

  it('survives a partly written line and returns entries newest first, in pages', async () => {
    await journal().append([entry(1), entry(2)])
    texts.set('journal.jsonl', `${texts.get('journal.jsonl')}{"seq":3,"wallMs":10`)
    await journal().append([entry(3)])
    const first = await wordsOf(2)
    expect(first.words).toEqual(['e3', 'e2'])
    expect(await wordsOf(2, first.before)).toEqual({ words: ['e1'], before: undefined })
  })

  it('writes entries that the disk refused with the next one that it takes', async () => {
    const { files } = open()
    let isFull = false
    const append = (name: string, text: string): void => {
      if (isFull) throw new Error('full')
      files.append(name, text)
    }
    const own = openWatchJournal({ ...files, append }, silent)
    for (const index of [4, 5, 6]) {
      isFull = index === 5
      await own.append([entry(index)])
    }
    expect((await wordsOf(3)).words).toEqual(['e6', 'e5', 'e4'])
  })

  it('keeps ENTRIES_MAX entries, and at most twice as many in its file', async () => {
    const long = journal()
    for (let round = 0; round < 5; round++)
      await long.append(Array.from({ length: ENTRIES_MAX }, (_, index) => entry(index)))
    expect((await long.read({ limit: 2 * ENTRIES_MAX })).entries).toHaveLength(ENTRIES_MAX)
    expect(texts.get('journal.jsonl')?.split('\n').length).toBeLessThanOrEqual(2 * ENTRIES_MAX + 1)
    await long.append([entry(-1)])
    expect((await wordsOf(1)).words).toEqual(['e-1'])
  })
})

const STORED: StoredAlarms = {
  version: 1,
  wallMs: 5,
  awakeMs: 4,
  mutedUntilWallMs: undefined,
  hadKey: true,
  instances: [],
  polls: [['s!n', 3]],
  reach: [],
  memory: [
    ['a', { kind: 'last', of: 'status-changed', text: 'ACTIVE', before: undefined, sinceAwakeMs: 1 }],
    [
      'b',
      {
        kind: 'points',
        of: 'participation-p95-above',
        points: [
          [1, 0.5],
          [2, 0.25],
        ],
        wallMs: 5,
        total: undefined,
      },
    ],
  ],
}

describe('the stores of a watch', () => {
  it('read back what they saved, including the values of windows', async () => {
    const { open } = memoryDisk('')
    expect(await openWatchStores(open().files, silent).alarms.save(STORED, true)).toBe(true)
    expect(await openWatchStores(open().files, silent).alarms.load()).toEqual(STORED)
  })

  it('forget messages for receivers that the configuration no longer names', async () => {
    const { open } = memoryDisk('')
    const reports: string[] = []
    const { outbox, keepOutboxOf } = openWatchStores(open().files, (line) => reports.push(line))
    for (const id of ['a', 'a silences', 'ab', 'b']) await outbox.save(id, { id })
    keepOutboxOf(['a', 'c'])
    expect(reports).toEqual([])
    await outbox.save('c', { messages: [1, 2] })
    keepOutboxOf(['a'])
    expect(reports).toEqual([expect.stringMatching(/^2 unsent messages dropped: /)])
    await outbox.save('c', undefined)
    const after = openWatchStores(open().files, silent).outbox
    expect(await Promise.all(['a', 'a silences', 'ab', 'b'].map((id) => after.load(id)))).toEqual([
      { id: 'a' },
      { id: 'a silences' },
      undefined,
      undefined,
    ])
  })

  it('set a damaged file aside and start without it', async () => {
    const { texts, open } = memoryDisk('')
    texts.set('state.json', '{"alarms":')
    const reports: string[] = []
    const { alarms } = openWatchStores(open().files, (line) => reports.push(line))
    expect(await alarms.load()).toBeUndefined()
    expect(reports).toEqual([expect.stringMatching(/^state\.json: is damaged/)])
    expect(texts.get('state.json.damaged')).toBe('{"alarms":')
  })
})
