import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { parseReceiverUrl, receiverIdOf } from '#settings/receiver.ts'
import { deliveryUrl } from '#settings/receiver-traits.ts'
import { parseReceiver } from '#settings/documents.ts'

describe('the URL of a receiver', () => {
  it.each([
    [' https://Hooks.Example/T1?key=1#there ', 'https://hooks.example/T1?key=1'],
    ['http://127.0.0.1:9093', 'http://127.0.0.1:9093/'],
    [` https://x.example/${'a'.repeat(1_982)} `, `https://x.example/${'a'.repeat(1_982)}`],
    [`https://x.example/${'a'.repeat(1_982)}`, `https://x.example/${'a'.repeat(1_982)}`],
  ])('%s', (text, value) => expect(parseReceiverUrl(text)).toEqual(ok(value)))

  it.each([
    ['', 'empty'],
    [' \t ', 'empty'],
    ['hooks.example/T1', 'not-a-url'],
    ['http://b,default-src/x', 'not-a-url'],
    ['http://*/x', 'not-a-url'],
    ['ftp://hooks.example', 'not-http'],
    ['https://me@hooks.example', 'has-user'],
    ['https://:word@hooks.example', 'has-user'],
    [`https://x.example/${'a'.repeat(1_983)}`, 'too-long'],
  ])('%s is refused', (text, error) => expect(parseReceiverUrl(text)).toEqual(err(error)))
})

it('the id of a receiver differs by kind and URL and contains neither', () => {
  const ids = [
    receiverIdOf({ kind: 'webhook', url: 'https://a.example/' }),
    receiverIdOf({ kind: 'ping', url: 'https://a.example/' }),
    receiverIdOf({ kind: 'webhook', url: 'https://b.example/' }),
  ]
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
})

it.each([
  ['webhook', 'https://a.example/x?y=1', 'https://a.example/x?y=1'],
  ['ping', 'https://a.example/x', 'https://a.example/x'],
  ['alertmanager', 'https://a.example/', 'https://a.example/api/v2/alerts'],
  ['alertmanager', 'https://a.example/am//', 'https://a.example/am/api/v2/alerts'],
] as const)('%s at %s gets requests at %s', (kind, url, at) => expect(deliveryUrl({ kind, url })).toBe(at))

it('a receiver with an underscore in its host needs the relay', () => {
  const receiver = (via: string, url = 'http://a_b/x') => parseReceiver({ kind: 'webhook', url, via })
  expect(receiver('relay').ok).toBe(true)
  expect(receiver('direct', 'https://a.example').ok).toBe(true)
  expect(receiver('direct')).toMatchObject(
    err([
      {
        path: 'via',
        message:
          'can’t be direct: the host name has an underscore, which the engine’s Content-Security-Policy can’t contain',
      },
    ]),
  )
})

it('a receiver uses the relay by default', () => {
  const parsed = parseReceiver({ kind: 'ping', url: 'https://a.example' })
  expect(parsed).toEqual(ok({ kind: 'ping', url: 'https://a.example/', via: 'relay' }))
})
