import { expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { receiverIdOf } from '#settings/receiver.ts'
import { deliveryUrl } from '#settings/receiver-traits.ts'
import { parseReceiver } from '#settings/documents.ts'

const read = (url: string) => parseReceiver({ kind: 'ping', url })
it.each([
  [' https://Hooks.Example/T1?key=1#there ', 'https://hooks.example/T1?key=1'],
  ['http://127.0.0.1:9093', 'http://127.0.0.1:9093/'],
  [` https://x.example/${'a'.repeat(1_982)} `, `https://x.example/${'a'.repeat(1_982)}`],
])('the URL %s of a receiver is read as %s', (text, url) =>
  expect(read(text)).toMatchObject(ok({ url, via: 'relay' })),
)

it.each([
  '',
  ' \t ',
  'hooks.example/T1',
  'http://b,default-src/x',
  'http://*/x',
  'ftp://hooks.example',
  'https://me@hooks.example',
  'https://:word@hooks.example',
  `https://x.example/${'a'.repeat(1_983)}`,
])('the URL %j of a receiver is refused', (text) => expect(read(text)).toMatchObject(err([{ path: 'url' }])))

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
