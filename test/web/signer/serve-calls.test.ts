import * as Comlink from 'comlink'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { CALLS_MAX, serveCalls } from '#signer/serve-calls.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

type Calls = Readonly<Record<string, () => Promise<unknown>>>

const serve = (more: Calls = {}): MessagePort => {
  const { port1, port2 } = new MessageChannel()
  ports.push(port1, port2)
  const calls = { ping: async () => 'pong', ...more }
  serveCalls<Calls>(port1, Object.fromEntries(Object.keys(calls).map((name) => [name, []])), calls)
  return port2
}

const PING = { id: 'ping', type: 'APPLY', path: ['ping'], argumentList: [] }

/** Sends messages and then a ping, and returns every answer before the ping's. */
const answersTo = (port: MessagePort, messages: readonly unknown[]): Promise<readonly unknown[]> =>
  new Promise((done) => {
    const answers: unknown[] = []
    port.addEventListener('message', ({ data }: MessageEvent<{ readonly id: unknown }>) => {
      if (data.id === 'ping') done(answers)
      else answers.push(data)
    })
    port.start()
    for (const message of messages) port.postMessage(message)
    port.postMessage(PING)
  })

const REFUSED = {
  id: 'x',
  type: 'HANDLER',
  name: 'throw',
  value: { isError: true, value: { name: 'Error', message: 'refused by the signer', stack: '' } },
}

const apply = (path: readonly unknown[], argumentList: unknown = []) => ({
  id: 'x',
  type: 'APPLY',
  path,
  argumentList,
})

describe('a Comlink proxy', () => {
  type Api = { readonly add: (a: number, b: number) => Promise<number>; readonly fail: () => Promise<void> }

  it('gets an error that does not reveal the cause', async () => {
    const secret = async (): Promise<never> => {
      throw new Error('seed 9d61b19d')
    }
    const port = serve({ fail: secret })
    const remote = Comlink.wrap<Api>(port)
    await expect(remote.fail()).rejects.toThrow(/^refused by the signer$/)
    expect(await answersTo(port, [apply(['fail'])])).toEqual([REFUSED])
  })

  it('is still served after many errors', async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error('x'))
    const port = serve({ fail })
    for (let times = 0; times < 2; times++)
      await answersTo(
        port,
        Array.from({ length: CALLS_MAX - 1 }, () => apply(['fail'])),
      )
    const remote = Comlink.wrap<{ readonly ping: () => Promise<string> }>(port)
    expect(await remote.ping()).toBe('pong')
  })

  it('gets an error for a result that cannot be cloned', async () => {
    const remote = Comlink.wrap<Api>(serve({ fail: async () => () => 1 }))
    await expect(remote.fail()).rejects.toThrow(/^refused by the signer$/)
  })

  it('closes the port when it is released', async () => {
    const port = serve()
    const closed = new Promise<void>((done) => {
      port.addEventListener('close', () => done())
    })
    const remote = Comlink.wrap<Api>(port)
    remote[Comlink.releaseProxy]()
    await closed
  })
})

describe('a message outside the interface', () => {
  it.each([
    ['reads', { id: 'x', type: 'GET', path: ['ping'] }],
    ['writes', { id: 'x', type: 'SET', path: ['ping'], value: { type: 'RAW', value: 1 } }],
    ['constructs', { id: 'x', type: 'CONSTRUCT', path: ['ping'], argumentList: [] }],
    ['asks for an endpoint', { id: 'x', type: 'ENDPOINT' }],
    ['has no type', { id: 'x' }],
    ['has no path', { id: 'x', type: 'APPLY', argumentList: [] }],
    ['has an empty path', apply([])],
    ['has a longer path', apply(['ping', 'constructor'])],
    ['names an object method', apply(['toString'])],
    ['names a map property', apply(['size'])],
    ['names a prototype', apply(['__proto__'])],
    ['names a number', apply([7])],
    ['has no arguments', apply(['ping'], null)],
    [
      'has too many arguments',
      apply(
        ['ping'],
        [1, 2, 3, 4, 5, 6].map((value) => ({ type: 'RAW', value })),
      ),
    ],
    ['passes a callback', apply(['ping'], [{ type: 'HANDLER', name: 'proxy', value: 1 }])],
    ['passes an unwrapped argument', apply(['ping'], [1])],
  ])('is refused when it %s', async (_what, message) => {
    expect(await answersTo(serve(), [message])).toEqual([REFUSED])
  })

  it('gets no answer without a valid id', async () => {
    const silent = [
      null,
      undefined,
      7,
      'text',
      [],
      {},
      { id: 7 },
      { id: '' },
      { id: 'x'.repeat(101) },
      new Map([['id', 'x']]),
    ]
    expect(await answersTo(serve(), silent)).toEqual([])
  })

  it('never blocks the next call', async () => {
    const port = serve()
    const anything = fc.anything({ withDate: true, withMap: true, withTypedArray: true, withBigInt: true })
    const almost = fc.record(
      {
        id: fc.oneof(fc.string(), anything),
        type: fc.constantFrom('APPLY', 'GET', 'SET', 'CONSTRUCT', 'ENDPOINT', 'x'),
        path: fc.oneof(fc.array(fc.constantFrom('ping', '__proto__', 'constructor', 'x')), anything),
        argumentList: fc.oneof(fc.array(anything), anything),
        value: anything,
      },
      { requiredKeys: [] },
    )
    const messages = fc.sample(fc.oneof(anything, almost), 500).filter(isCloneable)
    const answers = await answersTo(port, messages)
    expect(messages.length).toBeGreaterThan(200)
    for (const answer of answers) expect(answer).toHaveProperty('id')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

const isCloneable = (message: unknown): boolean => {
  try {
    structuredClone(message)
    return !(typeof message === 'object' && message !== null && Reflect.get(message, 'id') === 'ping')
  } catch {
    return false // No page can send such a message.
  }
}

describe('a flood of calls', () => {
  it(`is refused beyond ${CALLS_MAX} pending calls, and served again afterwards`, async () => {
    const held = withResolvers()
    const slow = async () => {
      await held.promise
      return 'done'
    }
    const port = serve({ slow })
    const answers: { readonly id: string; readonly type: string }[] = []
    const settled = new Promise<void>((done) => {
      port.addEventListener('message', ({ data }) => {
        answers.push(data)
        if (answers.length === 2) held.resolve()
        if (answers.length === CALLS_MAX + 2) done()
      })
    })
    port.start()
    for (let i = 0; i < CALLS_MAX + 2; i++)
      port.postMessage({ id: `call ${i}`, type: 'APPLY', path: ['slow'], argumentList: [] })
    await settled
    expect(answers.filter(({ type }) => type === 'HANDLER').map(({ id }) => id)).toEqual([
      `call ${CALLS_MAX}`,
      `call ${CALLS_MAX + 1}`,
    ])
    expect(answers.filter(({ type }) => type === 'RAW')).toHaveLength(CALLS_MAX)
    expect(await answersTo(port, [apply(['slow'])])).toEqual([{ id: 'x', type: 'RAW', value: 'done' }])
  })
})
