import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { parseCommand as parse } from '#node/command-line.ts'
import { HASH_COMMAND } from '#server/password-file.ts'
import { DEV_COMMAND, isReachedByOthers, SERVE_COMMAND, START_COMMAND } from '#server/serve-options.ts'
import { valueOf } from '#test/support/value-of.ts'

function parseCommand([name = '', ...argv]: readonly string[]) {
  if (name === 'hash-password') return parse(HASH_COMMAND, argv)
  if (name === 'serve') return parse(SERVE_COMMAND, argv)
  return parse(name === 'dev' ? DEV_COMMAND : START_COMMAND, argv)
}

const serveDefaults = {
  host: '127.0.0.1',
  port: 7420,
  open: false,
  config: undefined,
  data: undefined,
  allowHost: [],
  addServices: 'local',
  access: undefined,
  tls: undefined,
  rateLimit: 1_000,
  trustFrom: [],
  accessLog: undefined,
  signKey: [],
  passphrase: undefined,
}

describe('commands', () => {
  const served = (addServices: string) => ok({ kind: 'serve', serve: { ...serveDefaults, addServices } })

  it.each([[['start', '--help']], [['serve', '-h']], [['dev', '--help', '--port', 'x']]])(
    '%j asks for help',
    (argv) => expect(parseCommand(argv)).toEqual(ok(undefined)),
  )

  it('start defaults to loopback and ports 7420 and 7421', () => {
    expect(valueOf<unknown, string>(parseCommand(['start']))).toMatchObject({
      kind: 'start',
      serve: serveDefaults,
      demo: { port: 7421, nodes: undefined, controlToken: undefined },
    })
  })

  it('start accepts every flag', () => {
    const argv =
      'start --port 0 --reference-port 1 --host 0.0.0.0 --open --config c.json --data d --nodes 12 --allow-host a.example --allow-host b --allow-add --reference-control-token t --password-file p --session-hours 2 --tls-cert c.pem --tls-key k.pem --sign-key env:K --passphrase env:P --rate-limit 7 --access-log a.log --trust-from 10.0.0.0/8'
    expect(valueOf<unknown, string>(parseCommand(argv.split(' ')))).toMatchObject({
      kind: 'start',
      serve: {
        host: '0.0.0.0',
        port: 0,
        open: true,
        config: 'c.json',
        data: 'd',
        allowHost: ['a.example', 'b'],
        addServices: 'always',
        access: { kind: 'password', file: 'p', lifeMs: 7_200_000 },
        tls: { certFile: 'c.pem', keyFile: 'k.pem' },
        rateLimit: 7,
        trustFrom: ['10.0.0.0/8'],
        accessLog: 'a.log',
        signKey: ['env:K'],
        passphrase: 'env:P',
      },
      demo: { port: 1, nodes: 12, controlToken: 't' },
    })
  })

  it('start and dev run without the reference service with --no-reference', () => {
    for (const kind of ['start', 'dev'])
      expect(parseCommand([kind, '--no-reference'])).toMatchObject(ok({ kind, demo: undefined }))
  })

  it('serve rejects flags of the reference service', () => {
    expect(parseCommand(['serve', '--no-add'])).toMatchObject(served('never'))
    expect(parseCommand(['serve', '--nodes', '3']).ok).toBe(false)
  })

  it.each([
    ['[::1]', '::1'],
    ['a[::1]', 'a[::1]'],
    ['[::1]a', '[::1]a'],
  ])('brackets are removed around an IPv6 address only: %s', (given, host) =>
    expect(parseCommand(['serve', '--public', '--host', given])).toMatchObject({
      value: { serve: { host } },
    }),
  )

  it('--allow-add is accepted on loopback without access control', () =>
    expect(parseCommand(['serve', '--allow-add'])).toMatchObject(served('always')))

  it('hash-password takes one name', () =>
    expect(parseCommand(['hash-password', 'op@night'])).toEqual(ok('op@night')))
})

describe('access control', () => {
  const accessOf = (line: string) => {
    const parsed = parseCommand(['serve', ...line.split(' ')])
    return parsed.ok && typeof parsed.value === 'object' ? parsed.value.serve.access : parsed
  }

  it.each([
    ['--public', { kind: 'public' }],
    ['--tls-cert c --tls-key k --tls-client-ca a', { kind: 'certificate' }],
    ['--trust-header X-User --trust-from 10.0.0.0/8', { kind: 'header', name: 'X-User' }],
    ['--password-file p', { kind: 'password', file: 'p', lifeMs: 604_800_000 }],
    ['--password-file p --session-hours 1', { kind: 'password', file: 'p', lifeMs: 3_600_000 }],
    ['--password-file p --session-hours 720', { kind: 'password', file: 'p', lifeMs: 2_592_000_000 }],
  ])('is set by %s', (line, access) => expect(accessOf(line)).toEqual(access))

  it('is required for a server that others can reach', () => {
    for (const line of ['--host 0.0.0.0 --public', '--allow-host a.example --password-file p'])
      expect(parseCommand(['serve', ...line.split(' ')]).ok, line).toBe(true)
    const local = { host: 'localhost', allowHost: [], trustFrom: [] }
    expect(isReachedByOthers(local)).toBe(false)
    expect(isReachedByOthers({ ...local, allowHost: ['a'] })).toBe(true)
    expect(isReachedByOthers({ ...local, trustFrom: ['127.0.0.1'] })).toBe(true)
    expect(isReachedByOthers({ ...local, host: '0.0.0.0' })).toBe(true)
    // Others can reach the server through a proxy.
    expect(parseCommand(['serve', '--trust-from', '127.0.0.1'])).toMatchObject({
      error: expect.stringContaining('without access control'),
    })
  })

  it('accepts an authority of clients with a server certificate', () =>
    expect(parseCommand('serve --tls-cert c --tls-key k --tls-client-ca a'.split(' '))).toMatchObject({
      value: { serve: { tls: { certFile: 'c', keyFile: 'k', caFile: 'a' } } },
    }))

  it.each(['x', 'X-Forwarded-User', 'X-Accept', 'Authorization-User', 'Hosts', 'a'.repeat(64)])(
    'may use the header %s',
    (name) => expect(accessOf(`--trust-header ${name} --trust-from ::1`)).toEqual({ kind: 'header', name }),
  )

  it.each(
    'Authorization cookie Host origin referer User-Agent accept Accept-Language'
      .split(' ')
      .concat(
        ['sec-fetch-site', 'content-type', 'connection', 'signature', 'Signature-Input', 'x-node-key'],
        ['a'.repeat(65), 'x_user', 'X:User', 'é'],
      ),
  )('may not use the header %s', (name) =>
    expect(accessOf(`--trust-header ${name} --trust-from ::1`)).toEqual(
      err('--trust-header takes a header that only the reverse proxy sets, such as X-Forwarded-User.'),
    ),
  )
})

describe('values of a command line', () => {
  it.each([
    'start --port 65535',
    'start --port 0',
    'start --reference-port 65535',
    'start --nodes 1',
    'start --nodes 100000',
    'serve --rate-limit 1',
    'serve --rate-limit 100000',
    'serve --allow-host a_B.example-1 --public',
    'serve --trust-from 10.0.0.1 --trust-from ::1 --public',
    'dev --no-add',
    'dev --port 8',
    'serve --sign-key a --sign-key b --passphrase p --tls-cert c --tls-key k --tls-client-ca a',
  ])('%s is accepted', (line) => expect(parseCommand(line.split(' ')).ok).toBe(true))

  const NO_HOST_NAME = '--allow-host takes a host name without scheme or port, such as wall.example.'
  it.each<readonly [line: string, error: string]>([
    ['serve --port 65536', '--port takes a whole number from 0 to 65535.'],
    ['serve --port 0000000001', '--port takes a whole number from 0 to 65535.'],
    ['start --reference-port 65536', '--reference-port takes a whole number from 0 to 65535.'],
    ['start --nodes 100001', '--nodes takes a whole number from 1 to 100000.'],
    ['serve --rate-limit 0', '--rate-limit takes a whole number from 1 to 100000.'],
    ['serve --rate-limit 100001', '--rate-limit takes a whole number from 1 to 100000.'],
    ['serve --session-hours 721 --password-file p', '--session-hours takes a whole number from 1 to 720.'],
    ['serve --session-hours 2', '--session-hours requires --password-file.'],
    ...['host', 'config', 'data', 'password-file', 'trust-header', 'access-log', 'tls-cert', 'tls-key'].map(
      (flag) => [`serve --${flag}=`, `--${flag} needs a value.`] as const,
    ),
    ['serve --tls-client-ca=', '--tls-client-ca needs a value.'],
    [
      'serve --tls-cert c --tls-key k --tls-client-crl r',
      '--tls-client-crl requires --tls-client-ca, the authority that issued the revoked certificates.',
    ],
    ['serve --sign-key= --password-file p', '--sign-key needs a value.'],
    ['serve --sign-key k --passphrase= --password-file p', '--passphrase needs a value.'],
    ['serve --passphrase p', '--passphrase requires --sign-key.'],
    [
      'serve --sign-key k --public',
      '--sign-key signs for every visitor. Use it with --password-file, --trust-header or --tls-client-ca.',
    ],
    ['serve --allow-add --no-add', 'Use only one of --allow-add and --no-add.'],
    [
      'serve --host http://a',
      '--host takes a host name or an address without scheme or port, such as 127.0.0.1.',
    ],
    ['serve --allow-host a.example:80', NO_HOST_NAME],
    ['serve --allow-host good.example --allow-host a/b', NO_HOST_NAME],
    ['serve --tls-cert c', 'TLS requires both --tls-cert FILE and --tls-key FILE.'],
    ['serve --tls-key k', 'TLS requires both --tls-cert FILE and --tls-key FILE.'],
    ['serve --tls-client-ca a', 'TLS requires both --tls-cert FILE and --tls-key FILE.'],
    [
      'serve --trust-header X-User',
      '--trust-header NAME requires --trust-from ADDRESS, the reverse proxy that sets it.',
    ],
    [
      'serve --trust-from 10.0.0.0/33',
      '--trust-from takes the address of the reverse proxy, or its network: 127.0.0.1, 10.0.0.0/8.',
    ],
    [
      'serve --public --password-file p',
      'Use only one of --password-file, --trust-header, --tls-client-ca and --public.',
    ],
    [
      'serve --public --allow-add',
      '--allow-add lets signed-in users add services, but --public has no sign-in.',
    ],
    [
      'dev --public',
      'dev serves this computer only. Serve the built dashboard to others with serve or start.',
    ],
    [
      'serve --host 0.0.0.0',
      'Others could reach this dashboard without access control. Use one of: --password-file FILE; --trust-header NAME with --trust-from ADDRESS; --tls-client-ca FILE; or --public, which lets everyone read and nobody change anything. See serve --help.',
    ],
    ['hash-password a b', 'Usage: hash-password NAME, with the password on standard input.'],
  ])('%s is rejected: %s', (line, error) => expect(parseCommand(line.split(' '))).toEqual(err(error)))

  it.each([
    ['serve --prot', /^Unknown option '--prot'.* See serve --help\.$/],
    ['start --port', /^[^\n]*--port[^\n]* See start --help\.$/],
    ['start --port -1', /^[^\n]*--port[^\n]* See start --help\.$/],
    ['start extra', /^[^\n]*extra[^\n]*$/],
    ['serve --sign-key k', /^--sign-key .*--password-file/],
    ['start --port 1e3', /^--port takes/],
    ['start --nodes 0', /^--nodes takes/],
    ['serve --session-hours 0 --password-file p', /^--session-hours takes/],
    ['start --allow-host a,b', /^--allow-host takes a host name/],
    ['start --host a;b', /^--host takes a host name/],
    ['serve --host ::', /^Others could reach/],
    ['serve --host wall.example --allow-add', /^Others could reach/],
    ['serve --allow-host wall.example', /^Others could reach/],
    ['start --host 192.168.1.5', /^Others could reach/],
    ['dev --host 0.0.0.0 --public', /^dev serves this computer only/],
    ['serve --trust-header X-User --trust-from proxy.example', /^--trust-from takes/],
    ['hash-password', /^Usage: hash-password NAME/],
    ['hash-password a:b', /^Usage: hash-password NAME/],
  ])('%s is rejected with a message like %s', (line, error) =>
    expect(parseCommand(line.split(' '))).toEqual(err(expect.stringMatching(error))),
  )
})
