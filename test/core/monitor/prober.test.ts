import { describe, expect, it } from 'vitest'
import { remediesOf } from '#features/shell/remedies.ts'
import { keyOf, nodes, record, service, watch, type Answer } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const REFUSED: Answer = { status: 401, body: '{"detail":"unknown key"}' }
const diagnosed = (screen: ReturnType<typeof watch>) => screen.service()?.diagnosed
/** The second request of each diagnosis of a refusal. */
const diagnoses = ({ probes }: ReturnType<typeof watch>) =>
  probes.filter(({ headers }) => 'Authorization' in headers)

describe('diagnosing a failure', () => {
  it('happens once per episode, without a signature, and ends with it', async () => {
    const screen = watch()
    screen.world.answer = () => REFUSED
    await screen.clock.advance(500)
    expect(screen.probes.map(({ headers }) => headers)).toEqual([
      {},
      { Authorization: 'probe', 'X-Node-Key': 'probe', 'X-Node-Timestamp': 'probe', 'X-Node-Nonce': 'probe' },
    ])
    expect(diagnosed(screen)).toMatchObject({
      look: 'auth/401',
      diagnosis: { likely: ['key-not-registered'] },
    })
    const [cause] = causesOf(screen.monitor.snapshot(), screen.monitor.snapshot().nowMs)
    expect(cause?.evidence).toMatchObject({ kind: 'failure', diagnosed: diagnosed(screen) })
    await screen.clock.advance(1_200_000)
    expect(diagnoses(screen)).toHaveLength(1)
    screen.world.answer = ({ node }) => ({ body: record(node) })
    screen.monitor.pollNow(keyOf(0))
    await screen.clock.advance(500)
    expect(diagnosed(screen)).toBeUndefined()
    screen.world.answer = () => REFUSED
    await screen.clock.advance(15_000)
    expect(diagnoses(screen)).toHaveLength(2)
  })

  it('happens again if the service’s clock is set during the same refusal', async () => {
    const screen = watch()
    let aheadMs = 3_600_000
    screen.world.answer = ({ wallMs }) => ({
      ...REFUSED,
      date: new Date(wallMs + aheadMs).toUTCString(),
    })
    await screen.clock.advance(500)
    const found = diagnosed(screen)
    await screen.clock.advance(60_000)
    expect(diagnosed(screen)).toBe(found)
    aheadMs = -3_600_000
    await screen.clock.advance(60_000)
    expect(diagnoses(screen)).toHaveLength(2)
    expect(JSON.stringify(diagnosed(screen)?.diagnosis)).not.toBe(JSON.stringify(found?.diagnosis))
  })

  it('happens again if the service gives another reason for the same refusal', async () => {
    const screen = watch()
    screen.world.answer = () => REFUSED
    await screen.clock.advance(60_000)
    screen.world.answer = () => ({ status: 401, body: '{"detail":"Signature verification failed."}' })
    await screen.clock.advance(600_000)
    expect(diagnoses(screen)).toHaveLength(2)
    expect(diagnosed(screen)?.diagnosis.likely[0]).not.toBe('key-not-registered')
  })

  it('happens at most 6 times in 6 minutes for a flapping service', async () => {
    const screen = watch()
    let times = 0
    screen.world.answer = ({ node }) => (times++ % 2 === 0 ? REFUSED : { body: record(node) })
    screen.world.probed = () => REFUSED
    await screen.clock.advance(359_000)
    expect(screen.probes).toHaveLength(2 * 6)
    await screen.clock.advance(360_000)
    expect(screen.probes).toHaveLength(2 * 12)
  })

  it('is not needed to offer the service’s time if the offset needs the operator’s consent', async () => {
    const screen = watch()
    let times = 0
    screen.world.sign = (ms) => (ms === 0 ? undefined : 'time-not-allowed')
    screen.world.answer = ({ node, wallMs }) =>
      times++ % 2 === 0
        ? { ...REFUSED, date: new Date(wallMs + 3_600_000).toUTCString() }
        : { body: record(node), date: new Date(wallMs + 3_600_000).toUTCString() }
    screen.world.probed = () => REFUSED
    await screen.clock.advance(170_000)
    expect(screen.probes.length).toBe(2 * 6)
    for (const isFailing of [false, true])
      while ((screen.node(0).episode !== undefined) !== isFailing) await screen.clock.advance(1_000)
    expect(diagnosed(screen)).toBeUndefined()
    const [cause] = causesOf(screen.monitor.snapshot(), screen.monitor.nowMs())
    expect(cause && remediesOf(cause)[0]).toBe('use-service-time')
    expect(cause?.evidence).toMatchObject({ diagnosed: { diagnosis: { likely: ['clock'] } } })
  })

  it('waits for a second miss if one may be a lost packet, and happens once for all nodes', async () => {
    const screen = watch({ nodes: nodes(20) })
    await screen.clock.advance(15_000)
    screen.world.opaque = 'answered'
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(14_900)
    expect(screen.probes).toEqual([])
    await screen.clock.advance(120_000)
    expect(screen.probes.map(({ url }) => new URL(url).pathname)).toEqual(['/node/status', '/config.json'])
    expect(diagnosed(screen)?.diagnosis.likely).toEqual(['was-readable'])
    screen.world.opaque = 'nothing'
    await screen.clock.advance(120_000)
    expect(screen.probes).toHaveLength(4)
    expect(diagnosed(screen)?.diagnosis.likely).toEqual(['nothing-answers'])
  })

  it.each<[string, Answer]>([
    ['an error of the service', { status: 500 }],
    ['a limit', { status: 429 }],
    ['an unknown node', { status: 404 }],
    ['a truncated answer', { fails: 'cut-off' }],
  ])('does not happen for %s', async (_what, answer) => {
    const screen = watch()
    screen.world.answer = () => answer
    await screen.clock.advance(60_000)
    expect(screen.probes).toEqual([])
  })

  it('does not happen through the dashboard’s server, except for refusals', async () => {
    const screen = watch({ services: [service({ via: 'proxy' })] })
    screen.world.answer = () => ({ fails: 'unreachable' })
    await screen.clock.advance(61_000)
    expect(screen.probes).toEqual([])
    screen.world.answer = () => REFUSED
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    expect(screen.probes).toHaveLength(2)
    expect(screen.probes.every(({ url }) => url.startsWith('http://127.0.0.1:7420/proxy/'))).toBe(true)
  })

  it('replaces the diagnosis when the kind of failure changes', async () => {
    const screen = watch()
    screen.world.answer = () => REFUSED
    await screen.clock.advance(61_000)
    screen.world.answer = () => ({ fails: 'redirected' })
    screen.monitor.pollNow()
    await screen.clock.advance(500)
    expect(diagnosed(screen)).toMatchObject({ look: 'service/redirect', diagnosis: { likely: ['redirect'] } })
  })

  it('ends when the service hangs, no longer the dashboard’s server', async () => {
    const screen = watch({ services: [service({ via: 'proxy' })] })
    screen.world.answer = () => 'hang'
    await screen.clock.advance(60_000)
    expect(diagnosed(screen)?.diagnosis.likely).toEqual(['own-server'])
    screen.world.answer = () => ({ status: 504, proxyFailure: 'timeout' })
    await screen.clock.advance(60_000)
    expect(diagnosed(screen)).toBeUndefined()
  })

  it('ends when the node is removed, the key changes or the monitor is disposed', async () => {
    const refusing = async () => {
      const screen = watch()
      screen.world.answer = () => REFUSED
      await screen.clock.advance(500)
      expect(diagnosed(screen)).toBeDefined()
      return screen
    }
    const removed = await refusing()
    removed.monitor.configure({ ...removed.config, nodes: nodes(1, undefined, 5) })
    await removed.clock.advance(1)
    expect(removed.service()?.diagnosed).toBeUndefined()
    const rekeyed = await refusing()
    rekeyed.world.answer = () => 'hang'
    rekeyed.monitor.keyChanged()
    await rekeyed.clock.advance(500)
    expect(diagnosed(rekeyed)).toBeUndefined()
    const ended = watch()
    ended.world.answer = () => REFUSED
    ended.world.probed = () => ({ ...REFUSED, afterMs: 1_000 })
    await ended.clock.advance(500)
    ended.monitor.dispose()
    await ended.clock.advance(5_000)
    expect(diagnosed(ended)).toBeUndefined()
    expect(ended.clock.pendingMs()).toEqual([])
  })

  it('gives up a probe without an answer after 5 seconds', async () => {
    const screen = watch()
    screen.world.answer = () => REFUSED
    screen.world.probed = () => 'hang'
    await screen.clock.advance(5_600)
    expect(diagnosed(screen)?.diagnosis.clues).toContainEqual({
      kind: 'unsigned',
      answer: { kind: 'timeout' },
      same: undefined,
    })
  })
})
