import { describe, expect, it } from 'vitest'
import { parseCommand } from '#server/arguments.ts'

const serveDefaults = {
  host: '127.0.0.1',
  port: 7420,
  open: false,
  configFile: undefined,
  dataFolder: undefined,
  allowedHosts: [],
  addServices: 'local',
  access: undefined,
  tls: undefined,
  rateLimit: 1_000,
  trustFrom: [],
  accessLog: undefined,
  signKeys: [],
  passphrase: undefined,
}

describe('commands', () => {
  it.each([[[]], [['--help']], [['-h']], [['start', '--help']], [['serve', '-h']]])(
    '%j asks for help',
    (argv) => expect(parseCommand(argv)).toEqual({ ok: true, value: { kind: 'help' } }),
  )

  it('start without flags is on loopback with the usual ports', () => {
    expect(parseCommand(['start'])).toEqual({
      ok: true,
      value: {
        kind: 'start',
        serve: serveDefaults,
        reference: { port: 7421, nodes: undefined, controlToken: undefined },
      },
    })
  })

  it('start takes every flag', () => {
    const argv =
      'start --port 0 --reference-port 1 --host 0.0.0.0 --open --config c.json --data d --nodes 12 --allow-host a.example --allow-host b --allow-add --reference-control-token t --password-file p --session-hours 2 --tls-cert c.pem --tls-key k.pem --sign-key env:K --passphrase env:P --rate-limit 7 --access-log a.log --trust-from 10.0.0.0/8'
    expect(parseCommand(argv.split(' '))).toEqual({
      ok: true,
      value: {
        kind: 'start',
        serve: {
          host: '0.0.0.0',
          port: 0,
          open: true,
          configFile: 'c.json',
          dataFolder: 'd',
          allowedHosts: ['a.example', 'b'],
          addServices: 'always',
          access: { kind: 'password', file: 'p', lifeMs: 7_200_000 },
          tls: { certFile: 'c.pem', keyFile: 'k.pem' },
          rateLimit: 7,
          trustFrom: ['10.0.0.0/8'],
          accessLog: 'a.log',
          signKeys: ['env:K'],
          passphrase: 'env:P',
        },
        reference: { port: 1, nodes: 12, controlToken: 't' },
      },
    })
  })

  it('start and dev go without the reference service when told to', () => {
    for (const kind of ['start', 'dev'])
      expect(parseCommand([kind, '--no-reference'])).toMatchObject({
        ok: true,
        value: { kind, reference: undefined },
      })
  })

  it('serve knows no flag of the reference service', () => {
    expect(parseCommand(['serve', '--no-add'])).toEqual({
      ok: true,
      value: { kind: 'serve', serve: { ...serveDefaults, addServices: 'never' } },
    })
    expect(parseCommand(['serve', '--nodes', '3']).ok).toBe(false)
  })

  it('an IPv6 address may stand in brackets', () =>
    expect(parseCommand(['serve', '--host', '[::1]'])).toMatchObject({ value: { serve: { host: '::1' } } }))

  it('reference passes its arguments on unread', () =>
    expect(parseCommand(['reference', 'keys', '--whatever'])).toEqual({
      ok: true,
      value: { kind: 'reference', argv: ['keys', '--whatever'] },
    }))
})

describe('wrong command lines get one line that names the flag', () => {
  it.each([
    ['strat', /no command "strat".*start, serve, collect, probe, dev, reference/],
    ['start --prot 1', /--prot/],
    ['start extra', /extra/],
    ['start --port', /--port/],
    ['start --port 65536', /^--port takes a whole number from 0 to 65535\.$/],
    ['start --port -1', /--port/],
    ['start --port 1e3', /^--port takes/],
    ['start --reference-port x', /^--reference-port takes/],
    ['start --nodes 0', /^--nodes takes a whole number from 1 to 100000\.$/],
    ['start --allow-host http://a', /^--allow-host takes a host name/],
    ['start --allow-host a,b', /^--allow-host takes a host name/],
    ['start --host a;b', /^--host takes a host name/],
    ['start --config=', /^--config needs a value\.$/],
    ['start --host=', /^--host needs a value\.$/],
    ['start --allow-add --no-add', /exclude each other/],
    [
      'serve --host 0.0.0.0',
      /^Others could reach .*--password-file.*--trust-header.*--tls-client-ca.*--public/,
    ],
    ['serve --host ::', /^Others could reach/],
    ['serve --host wall.example --allow-add', /^Others could reach/],
    ['serve --allow-host wall.example', /^Others could reach/],
    ['start --host 192.168.1.5', /^Others could reach/],
    ['dev --host 0.0.0.0 --public', /^dev is for this computer only/],
    ['serve --public --allow-add', /^--allow-add .* --public/],
    ['serve --public --password-file p', /^Give one of/],
    ['serve --trust-header X-User', /^--trust-header NAME goes with --trust-from/],
    ['serve --trust-from proxy.example', /^--trust-from takes/],
    ['serve --trust-header Authorization --trust-from 127.0.0.1', /^--trust-header takes/],
    ['serve --trust-header X-User --trust-from proxy.example', /^--trust-from takes/],
    ['serve --tls-cert c', /^TLS takes both/],
    ['serve --tls-client-ca c', /^TLS takes both/],
    ['serve --session-hours 2', /goes with --password-file/],
    ['serve --session-hours 0 --password-file p', /^--session-hours takes/],
    ['hash-password', /^Wants: hash-password NAME/],
    ['hash-password a:b', /^Wants: hash-password NAME/],
  ])('%s', (line, pattern) => {
    const parsed = parseCommand(line.split(' '))
    if (parsed.ok) throw new Error('it was accepted')
    expect(parsed.error).toMatch(pattern)
    expect(parsed.error).not.toContain('\n')
  })
})
