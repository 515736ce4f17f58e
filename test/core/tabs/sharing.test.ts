import { describe, expect, it } from 'vitest'
import type { HistoryBatch } from '#history/history.ts'
import { EMPTY_SNAPSHOT, type FleetUpdate, type NodeLive, type ServiceLive } from '#fleet/live.ts'
import type { OpenTabChannel } from '#tabs/channel.ts'
import { createRebase } from '#tabs/rebase.ts'
import { createShareIn } from '#tabs/share-in.ts'
import type { ToFollower, ToTabs } from '#tabs/share-message.ts'
import { createShareOut } from '#tabs/share-out.ts'
import { createFakeClock, settle, TEST_START_MS } from '#test/support/fake-clock.ts'
import { HIGHER, LOWER, ME } from './one-tab.ts'

const updateOf = (given: Partial<FleetUpdate> = {}): FleetUpdate => ({
  revision: 1,
  nowMs: 1_000,
  wallMs: TEST_START_MS,
  changed: [],
  screen: EMPTY_SNAPSHOT.screen,
  ...given,
})
const node = (given: object): NodeLive => ({ key: 'k', ...given }) as NodeLive
const service = (given: object): ServiceLive => ({ id: 's', ...given }) as ServiceLive
const BATCH: HistoryBatch = { samples: [], gaps: [] }

/** Channels by name, each with what was sent into it and whether it is closed. */
function createChannels() {
  const all: { name: string; sent: unknown[]; isClosed: boolean; hear: (data: unknown) => void }[] = []
  const open: OpenTabChannel = (name, hear) => {
    const channel = { name, sent: [] as unknown[], isClosed: false, hear }
    all.push(channel)
    return {
      post: (message) => channel.sent.push(message),
      close: () => {
        channel.isClosed = true
      },
    }
  }
  return { all, open, of: (tab: string) => all.filter(({ name }) => name === `immune-tabs-${tab}`) }
}

describe('times of another tab', () => {
  const rebaseAt = (ownMs: number) => {
    const clock = createFakeClock()
    let nowMs = ownMs
    const rebase = createRebase(clock, () => nowMs)
    return { clock, rebase, set: (ms: number) => (nowMs = ms) }
  }

  it('are all moved by as much as the clocks are apart', () => {
    const { rebase } = rebaseAt(5_000)
    const { update, gridMs } = rebase(
      updateOf({
        changed: [
          node({
            reading: { startedMs: 900, latencyMs: 7 },
            episode: { sinceMs: 800, misses: 2 },
            nextPollMs: 1_500,
            proofSinceMs: 100,
            answered: 3,
          }),
        ],
        services: [service({ hold: { reason: 'refused', untilMs: 2_000 }, rules: 1 })],
      }),
      50,
    )
    expect(update).toEqual(
      updateOf({
        nowMs: 5_000,
        changed: [
          node({
            reading: { startedMs: 4_900, latencyMs: 7 },
            episode: { sinceMs: 4_800, misses: 2 },
            nextPollMs: 5_500,
            proofSinceMs: 4_100,
            answered: 3,
          }),
        ],
        services: [service({ hold: { reason: 'refused', untilMs: 6_000 }, rules: 1 })],
      }),
    )
    expect(gridMs).toBe(4_050)
  })

  it('that are not known stay unknown, and what an update does not name it does not name then', () => {
    const { rebase } = rebaseAt(5_000)
    const bare = node({
      reading: undefined,
      episode: undefined,
      nextPollMs: undefined,
      proofSinceMs: undefined,
    })
    const { update } = rebase(updateOf({ changed: [bare] }), 0)
    expect(update.changed).toEqual([bare])
    expect('services' in update).toBe(false)
    expect(rebase(updateOf({ services: [service({ hold: undefined })] }), 0).update.services).toEqual([
      service({ hold: undefined }),
    ])
  })

  it('are told by the message that was quickest, and by none that seems to come from the future', () => {
    const { clock, rebase, set } = rebaseAt(5_000)
    clock.stepWall(300)
    expect(rebase(updateOf(), 0).gridMs).toBe(3_700)
    clock.stepWall(-200)
    expect(rebase(updateOf(), 0).gridMs).toBe(3_700)
    set(4_000)
    expect(rebase(updateOf(), 0).gridMs).toBe(2_900)
    clock.stepWall(-5_000)
    set(3_000)
    expect(rebase(updateOf(), 0).gridMs).toBe(2_000)
  })
})

describe('a tab that listens', () => {
  function listening() {
    const clock = createFakeClock()
    const channels = createChannels()
    const said: ToTabs[] = []
    const taken: [number, number][] = []
    const others: boolean[] = []
    let samples = 0
    let events = 0
    let nowMs = 1_000
    const share = createShareIn({
      clock,
      nowMs: () => nowMs,
      id: ME,
      build: 'a',
      post: (message) => said.push(message),
      openChannel: channels.open,
      take: (update, gridMs) => taken.push([update.revision, gridMs]),
      takeSamples: () => samples++,
      hearEvents: () => events++,
      otherBuild: (isOther) => others.push(isOther),
    })
    const [channel] = channels.all
    const hear = (message: object, from = LOWER): void => channel?.hear({ from, build: 'a', ...message })
    const tell = (
      kind: 'state' | 'batch',
      seq: number,
      given: { share?: number; from?: string } = {},
    ): void =>
      hear(
        { kind, share: given.share ?? 1, seq, gridMs: 10, update: updateOf({ revision: seq }) },
        given.from,
      )
    return {
      clock,
      channel,
      share,
      hear,
      tell,
      said: () => said.splice(0).map((one) => ('seq' in one ? [one.kind, one.seq] : [one.kind])),
      taken: () => taken.splice(0),
      others: () => others.splice(0),
      samples: () => samples,
      events: () => events,
      at: (ms: number) => (nowMs = ms),
    }
  }

  it('hears nothing while nobody leads', async () => {
    const tab = listening()
    expect(tab.channel?.name).toBe(`immune-tabs-${ME}`)
    tab.tell('state', 1)
    tab.share.again()
    expect(await tab.share.ask({ what: 'exchange', node: 'k' as never })).toBeUndefined()
    await tab.clock.advance(10_000)
    expect([tab.taken(), tab.said(), tab.others()]).toEqual([[], [], []])
  })

  it('says every two seconds that it is there, and up to where it has heard', async () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    expect(tab.said()).toEqual([['here', undefined]])
    tab.share.listenTo(LOWER)
    tab.tell('state', 4)
    tab.tell('batch', 5)
    await tab.clock.advance(1_999)
    expect(tab.said()).toEqual([])
    await tab.clock.advance(1)
    expect(tab.said()).toEqual([['here', 5]])
    tab.share.listenTo(HIGHER)
    expect(tab.said()).toEqual([['here', undefined]])
    tab.share.listenTo(undefined)
    await tab.clock.advance(10_000)
    expect([tab.said(), tab.clock.pendingMs()]).toEqual([[], []])
  })

  it('takes everything first, then what changes, in order and once', () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    tab.tell('batch', 1)
    expect(tab.taken()).toEqual([])
    tab.tell('state', 4)
    tab.tell('batch', 5)
    tab.tell('batch', 5)
    tab.tell('batch', 4)
    tab.tell('batch', 6, { share: 2 })
    tab.tell('batch', 6, { from: HIGHER })
    expect(tab.taken()).toEqual([
      [4, 10],
      [5, 10],
    ])
    tab.hear({ kind: 'samples', share: 1, seq: 6, batch: BATCH })
    expect([tab.samples(), tab.taken()]).toEqual([1, []])
    tab.tell('batch', 7)
    expect(tab.taken()).toEqual([[7, 10]])
    tab.hear({ kind: 'events', share: 1, seq: 8 })
    expect([tab.events(), tab.samples(), tab.taken()]).toEqual([1, 1, []])
  })

  it('asks for everything when a message is missing, and takes nothing until it comes', () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    tab.tell('state', 1)
    tab.said()
    tab.taken()
    tab.tell('batch', 3)
    expect([tab.said(), tab.taken()]).toEqual([[['here', undefined]], []])
    tab.tell('batch', 4)
    expect([tab.said(), tab.taken()]).toEqual([[], []])
    tab.tell('state', 9)
    expect(tab.taken()).toEqual([[9, 10]])
  })

  it('keeps what it knows of the clocks while the same tab tells, and learns it anew from another', () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    tab.at(900)
    tab.tell('state', 1)
    expect(tab.taken()).toEqual([[1, -90]])
    tab.at(2_000)
    tab.tell('state', 2)
    expect(tab.taken()).toEqual([[2, -90]])
    tab.tell('state', 3, { share: 2 })
    expect(tab.taken()).toEqual([[3, 1_010]])
  })

  it('wants everything once more when what it watches has changed', () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    tab.tell('state', 1)
    tab.said()
    tab.share.again()
    expect(tab.said()).toEqual([['here', undefined]])
    tab.taken()
    tab.tell('batch', 2)
    expect(tab.taken()).toEqual([])
  })

  it('says whether the tab that asks runs another version', () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    expect(tab.others()).toEqual([false])
    tab.hear({ kind: 'answer', build: 'b', id: 0 })
    tab.hear({ kind: 'answer', build: 'b', id: 0 }, HIGHER)
    tab.tell('state', 1)
    expect(tab.others()).toEqual([true, false, false])
  })

  it('gets answers to its questions from the tab that leads, and ends with its channel', async () => {
    const tab = listening()
    tab.share.listenTo(LOWER)
    const answer = tab.share.ask({ what: 'exchange', node: 'k' as never })
    await settle()
    tab.hear({ kind: 'answer', id: 1, value: 'wrong' }, HIGHER)
    tab.hear({ kind: 'answer', id: 1, value: 'right' })
    expect(await answer).toBe('right')
    tab.share.end()
    expect([tab.channel?.isClosed, tab.clock.pendingMs()]).toEqual([true, []])
  })
})

describe('a tab that tells', () => {
  function telling() {
    const clock = createFakeClock()
    const channels = createChannels()
    const share = createShareOut(
      {
        clock,
        id: LOWER,
        build: 'a',
        openChannel: channels.open,
        snapshot: () => EMPTY_SNAPSHOT,
        gridMs: () => 77,
        answer: async (call) => {
          if (call.what === 'lanes') throw new Error('not here')
          return call.what
        },
      },
      5,
    )
    const here = (tab: string, seq?: number): void => share.hear({ kind: 'here', from: tab, build: 'a', seq })
    const sent = (tab = ME) =>
      channels.of(tab).flatMap(({ sent: all }) => all.splice(0)) as readonly (ToFollower & { seq: number })[]
    const kinds = (tab = ME) => sent(tab).map(({ kind, seq }) => [kind, seq])
    return { clock, channels, share, here, sent, kinds }
  }

  it('tells a new follower everything, then what changes, with a number each', () => {
    const { share, here, sent, kinds } = telling()
    share.update(updateOf())
    here(ME)
    expect(sent()).toMatchObject([
      { kind: 'state', from: LOWER, build: 'a', share: 5, seq: 1, gridMs: 77, update: { changed: [] } },
    ])
    here(ME, 1)
    expect(kinds()).toEqual([])
    share.update(updateOf())
    share.samples(BATCH)
    expect(sent()).toEqual([
      { kind: 'batch', from: LOWER, build: 'a', share: 5, seq: 2, gridMs: 77, update: updateOf() },
      { kind: 'samples', from: LOWER, build: 'a', share: 5, seq: 3, batch: BATCH },
    ])
    share.events()
    expect(sent()).toEqual([{ kind: 'events', from: LOWER, build: 'a', share: 5, seq: 4 }])
    here(ME)
    expect(kinds()).toEqual([['state', 5]])
  })

  it('gives a follower up that was not heard for more than ten seconds', async () => {
    const { clock, channels, share, here, kinds } = telling()
    here(ME)
    here(HIGHER)
    kinds()
    await clock.advance(10_000)
    share.update(updateOf())
    expect(kinds()).toEqual([['batch', 2]])
    here(HIGHER, 2)
    await clock.advance(1)
    share.update(updateOf())
    expect([kinds(), channels.of(ME)[0]?.isClosed, channels.of(HIGHER)[0]?.isClosed]).toEqual([
      [],
      true,
      false,
    ])
    here(ME, 2)
    expect(kinds()).toEqual([['state', 1]])
  })

  it('tells a follower that lags behind by more than 60 nothing more, and then everything', () => {
    const { share, here, kinds } = telling()
    here(ME)
    here(ME, 1)
    kinds()
    for (let count = 0; count < 70; count++) share.update(updateOf())
    expect(kinds().length).toBe(61)
    here(ME, 62)
    expect(kinds()).toEqual([['state', 72]])
    here(ME, 72)
    for (let count = 0; count < 60; count++) share.update(updateOf())
    expect(kinds().length).toBe(60)
    here(ME, 80)
    expect(kinds()).toEqual([])
  })

  it('serves 32 followers, and gives the one up that was not heard for longest for another', async () => {
    const { clock, channels, here } = telling()
    const names = Array.from({ length: 33 }, (_, place) => place.toString(16).padStart(16, '0'))
    for (const name of names.slice(0, 32)) {
      here(name)
      await clock.advance(1)
    }
    const [first = '', second = ''] = names
    here(first, 1)
    expect(channels.all.filter(({ isClosed }) => isClosed)).toEqual([])
    here(names[32] ?? '')
    expect(channels.all.filter(({ isClosed }) => isClosed).map(({ name }) => name)).toEqual([
      `immune-tabs-${second}`,
    ])
  })

  it('answers a follower, also without a value, and no tab that it does not know', async () => {
    const { share, here, sent } = telling()
    const call = (tab: string, what: 'exchange' | 'lanes', id: number): void =>
      share.hear({ kind: 'call', from: tab, build: 'a', id, call: { what } as never })
    call(HIGHER, 'exchange', 1)
    here(ME)
    sent()
    call(ME, 'exchange', 7)
    call(ME, 'lanes', 8)
    share.hear({ kind: 'word', from: ME, build: 'a', word: 'lock' })
    await settle()
    expect(sent()).toEqual([{ kind: 'answer', from: LOWER, build: 'a', id: 7, value: 'exchange' }])
    expect(sent(HIGHER)).toEqual([])
  })

  it('closes every channel in the end', () => {
    const { channels, share, here, kinds } = telling()
    here(ME)
    here(HIGHER)
    share.end()
    kinds()
    share.update(updateOf())
    expect([channels.all.map(({ isClosed }) => isClosed), kinds()]).toEqual([[true, true], []])
  })
})
