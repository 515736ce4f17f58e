import { describe, expect, it } from 'vitest'
import { err, ok, type Result } from '#base/result.ts'
import { isProbed, runProbes, type ProbeSubject } from '#monitor/probes.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { HttpReply, LocalNetworkPermission, TransportFailure } from '#protocol/transport.ts'
import { service } from './watch.ts'

const DIRECT = service()
const PROXIED = service({ via: 'proxy' })
const OPEN = service({ profile: { v: 1, message: { kind: 'none' }, headers: {} } })
const failure = (kind: PollFailure['kind']) => ({ kind }) as PollFailure
type Sent = Result<HttpReply, TransportFailure>
const ANSWER: Sent = ok({ status: 401, body: '{"detail":"no"}' })
const UNREACHABLE: Sent = err({ kind: 'unreachable' })

/** Runs the probes against these answers; returns their requests and findings. */
async function probed(
  kind: PollFailure['kind'],
  reply: Sent | Error,
  given: Partial<ProbeSubject> & { own?: Sent; permission?: LocalNetworkPermission; noBrowser?: true } = {},
) {
  const { own = ANSWER, permission = 'prompt', noBrowser, ...subject } = given
  const asked: string[] = []
  const found = await runProbes(
    {
      transport: async ({ url, headers, timeoutMs, bodyMaxBytes }, signal) => {
        expect([timeoutMs, bodyMaxBytes, signal.aborted]).toEqual([
          Math.min(subject.service?.timeoutMs ?? 10_000, 5_000),
          65_536,
          false,
        ])
        const names = Object.entries(headers).map(([name, value]) => `${name}=${value}`)
        asked.push([url, ...names].join(' '))
        if (url.endsWith('/config.json')) return own
        if (reply instanceof Error) throw reply
        return reply
      },
      ...(noBrowser === undefined && {
        probe: {
          opaque: async (url, timeoutMs) => {
            asked.push(`opaque ${url} ${timeoutMs}`)
            return 'nothing'
          },
          localNetwork: async (url) => {
            asked.push(`permission ${url}`)
            return permission
          },
        },
      }),
    },
    {
      failure: failure(kind),
      nodeId: '0x01',
      service: DIRECT,
      base: 'https://api.example/v1',
      serverUrl: 'https://page.example',
      ...subject,
    },
  )
  return { asked, found }
}

const UNSIGNED = 'https://api.example/v1/node/status?node_id=0x01'
const DRESSED = `${UNSIGNED} Authorization=probe X-Node-Key=probe X-Node-Timestamp=probe X-Node-Nonce=probe`

it.each([
  ['unauthorized', true, true],
  ['forbidden', true, true],
  ['redirected', true, true],
  ['not-json', true, true],
  ['unexpected-status', true, true],
  ['unreachable', true, false],
  ['timeout', true, false],
  ['server-error', false, false],
  ['no-key', false, false],
] as const)('%s is probed: %s, and through the proxy: %s', (kind, direct, proxied) => {
  expect(isProbed({ failure: failure(kind), service: DIRECT })).toBe(direct)
  expect(isProbed({ failure: failure(kind), service: PROXIED })).toBe(proxied)
})

describe('a service that answers an unsigned request', () => {
  it.each(['unauthorized', 'forbidden', 'unreachable', 'timeout'] as const)(
    'is asked again with dummy signature headers after %s',
    async (kind) => {
      const { asked, found } = await probed(kind, ANSWER)
      expect(asked).toEqual([UNSIGNED, DRESSED])
      expect(found).toEqual({ unsigned: found.unsigned, headersWithoutSignature: found.unsigned })
      expect(found.unsigned).toMatchObject({ kind: 'answered', words: { status: 401 } })
    },
  )

  it.each([
    ['redirected', {}],
    ['not-json', {}],
    ['unexpected-status', {}],
    ['unauthorized', { service: OPEN }],
    ['unreachable', { service: OPEN }],
  ] as const)('is not asked again after %s with %j', async (kind, given) => {
    const { asked, found } = await probed(kind, ANSWER, given)
    expect([asked, Object.keys(found)]).toEqual([[UNSIGNED], ['unsigned']])
  })

  it('is asked for the default node, within its own timeout', async () => {
    const hurried = service({ timeoutMs: 700 })
    const { asked } = await probed('not-json', ANSWER, { nodeId: undefined, service: hurried })
    expect(asked).toEqual(['https://api.example/v1/node/status'])
  })
})

describe('a service that does not answer', () => {
  it('gets an opaque request, and the dashboard’s server is asked', async () => {
    const { asked, found } = await probed('unreachable', UNREACHABLE)
    expect(asked).toEqual([UNSIGNED, `opaque ${UNSIGNED} 5000`, 'https://page.example/config.json'])
    expect(found).toEqual({ unsigned: { kind: 'unreachable' }, opaque: 'nothing', ownServer: 'answers' })
  })

  it('has the local-network permission checked if it is on a private address', async () => {
    const { asked, found } = await probed('timeout', UNREACHABLE, {
      base: 'http://192.168.0.7',
      permission: 'denied',
    })
    expect(asked).toContain('permission http://192.168.0.7')
    expect(found).toMatchObject({ permission: 'denied' })
  })

  it.each([
    [UNREACHABLE, 'silent'],
    [err({ kind: 'timeout', afterMs: 5 }), 'silent'],
    [err({ kind: 'cut-off' }), 'answers'],
    [err({ kind: 'redirected' }), 'answers'],
    [ok({ status: 500, body: '' }), 'answers'],
  ] as const)('has a dashboard’s server with %j reported as “%s”', async (own, says) => {
    expect((await probed('unreachable', UNREACHABLE, { own: own as Sent })).found.ownServer).toBe(says)
  })

  it.each(['unauthorized', 'not-json'] as const)('is not probed further after %s', async (kind) => {
    expect((await probed(kind, UNREACHABLE)).asked).toEqual([UNSIGNED])
  })

  it('is not probed further without a browser', async () => {
    const { asked, found } = await probed('unreachable', UNREACHABLE, { noBrowser: true })
    expect([asked, found]).toEqual([[UNSIGNED], { unsigned: { kind: 'unreachable' } }])
  })
})

it.each([
  [err({ kind: 'timeout', afterMs: 5 }), 'timeout'],
  [err({ kind: 'aborted' }), 'unreachable'],
  [err({ kind: 'redirected' }), 'redirected'],
  [err({ kind: 'too-large', limitBytes: 5 }), 'too-large'],
  [new TypeError('a defect of the port'), 'unreachable'],
  [ok({ status: 502, body: '', proxyFailure: 'timeout' }), 'timeout'],
  [ok({ status: 502, body: '', proxyFailure: 'refused' }), 'unreachable'],
  [ok({ status: 299, body: '' }), 'answered'],
  [ok({ status: 300, body: '' }), 'redirected'],
  [ok({ status: 302, body: '' }), 'redirected'],
  [ok({ status: 304, body: '' }), 'answered'],
  [ok({ status: 399, body: '' }), 'redirected'],
  [ok({ status: 400, body: '' }), 'answered'],
] as const)('the answer to a probe %j is %s', async (sent, kind) => {
  expect((await probed('not-json', sent as Sent | Error)).found.unsigned?.kind).toBe(kind)
})

it('sends no unsigned probe if the dashboard’s server signs every request', async () => {
  const message = { kind: 'none', signer: 'dashboard-server' } as const
  const signed = { ...PROXIED, profile: { v: 1 as const, message, headers: {} } }
  for (const kind of ['unauthorized', 'forbidden', 'not-json'] as const)
    expect(await probed(kind, ANSWER, { service: signed })).toEqual({ asked: [], found: {} })
})

describe('probing through the dashboard’s server', () => {
  it.each<[PollFailure, boolean]>([
    [{ kind: 'timeout', afterMs: 1, hop: 'proxy' }, true],
    [{ kind: 'timeout', afterMs: 1, hop: 'service' }, false],
    [{ kind: 'unreachable', hop: 'proxy' }, false],
  ])('happens only if that server itself times out: %j', (one, isMeant) => {
    expect(isProbed({ failure: one, service: PROXIED })).toBe(isMeant)
    expect(isProbed({ failure: one, service: DIRECT })).toBe(true)
  })

  it('asks only that server', async () => {
    const { asked, found } = await probed('timeout', ANSWER, {
      failure: { kind: 'timeout', afterMs: 1, hop: 'proxy' },
      base: 'https://page.example/proxy/a',
      service: PROXIED,
      noBrowser: true,
    })
    expect([asked, found]).toEqual([['https://page.example/config.json'], { ownServer: 'answers' }])
  })
})

it('a connection failure with a known cause is not probed', () => {
  const known = { kind: 'unreachable', hop: 'service', detail: 'dns' } as const
  expect(isProbed({ failure: known, service: DIRECT })).toBe(false)
})
