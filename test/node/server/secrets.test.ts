import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { bytesToHex } from '#base/bytes.ts'
import { KEY_FILE_BYTES_MAX } from '#keys/read-key.ts'
import { readSecretFrom, readWordFrom } from '#server/secrets.ts'
import { openSigningKeys } from '#server/signing-keys.ts'
import { temporaryFile, temporaryFolder } from '#test/support/temporary-file.ts'
import { valueOf } from '#test/support/value-of.ts'

const world = (env: Record<string, string> = {}) => ({ platform: process.platform, env })

describe('a secret', () => {
  it.each([0o640, 0o604, 0o620, 0o660])(
    'in a file that others can access (%o) is refused with the command that fixes it',
    (mode) => {
      const file = temporaryFile('secret')
      chmodSync(file, mode)
      const open = `${file}: users other than its owner can access this file. Run: chmod 600 ${file}`
      expect(readSecretFrom(file, world())).toEqual(err(open))
      chmodSync(file, 0o600)
      expect(readSecretFrom(file, world())).toEqual(ok(Buffer.from('secret')))
    },
  )

  it('may be in a file of root that the group can read, but not in one that all can read', () => {
    const file = temporaryFile('secret')
    const root = vi.spyOn(process, 'getuid').mockReturnValue(1_000)
    onTestFinished(() => root.mockRestore())
    const own = statSync(file).uid !== 0
    chmodSync(file, 0o440)
    expect(readSecretFrom(file, world())).toMatchObject({ ok: !own })
    chmodSync(file, 0o444)
    const error = own ? 'chmod 600' : 'Mount it with mode 0440.'
    expect(readSecretFrom(file, world())).toEqual(err(expect.stringContaining(error)))
  })

  it('comes from a variable, a systemd credential or a file', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'own.key'), 'credential', { mode: 0o440 })
    writeFileSync(join(folder, '.hidden'), 'no')
    const there = world({ OWN: 'variable', CREDENTIALS_DIRECTORY: folder })
    const read = (source: string) => {
      const found = readSecretFrom(source, there)
      return found.ok ? found.value.toString() : found.error
    }
    expect(read('env:OWN')).toBe('variable')
    expect(read('env:OTHER')).toBe('env:OTHER: this variable is not set.')
    expect(read('credential:own.key')).toBe('credential')
    for (const name of ['../own.key', '.hidden', 'a/b', ''])
      expect(read(`credential:${name}`)).toBe(`credential:${name}: is not a valid credential name.`)
    expect(readSecretFrom('credential:own.key', world())).toMatchObject({ ok: false })
    expect(read(join(folder, 'gone'))).toMatch(/: does not exist\.$/)
  })

  it('is not checked for its file mode on Windows, which has ACLs instead', () => {
    const file = temporaryFile('secret')
    chmodSync(file, 0o644)
    expect(readSecretFrom(file, { platform: 'win32', env: {} })).toMatchObject({ ok: true })
  })

  it('is a file of limited size', () => {
    const folder = temporaryFolder()
    const file = join(folder, 'key')
    writeFileSync(file, 'x'.repeat(KEY_FILE_BYTES_MAX), { mode: 0o600 })
    expect(readSecretFrom(file, world())).toMatchObject({ ok: true })
    writeFileSync(file, 'x'.repeat(KEY_FILE_BYTES_MAX + 1))
    expect(readSecretFrom(file, world())).toEqual(err(`${file}: is larger than ${KEY_FILE_BYTES_MAX} bytes.`))
    const circle = join(folder, 'circle')
    symlinkSync(circle, circle)
    expect(readSecretFrom(circle, world())).toEqual(err(`${circle}: can’t be read (ELOOP).`))
    chmodSync(folder, 0o700)
    expect(readSecretFrom(folder, world())).toEqual(err(`${folder}: can’t be read (EISDIR).`))
  })

  it('that is a word is one line of up to 4,096 characters of printable ASCII, without its line end', () => {
    const read = (text: string) => readWordFrom('env:WORD', world({ WORD: text }))
    expect(read('tok_1~\n')).toEqual(ok('tok_1~'))
    expect(read('x'.repeat(4_096)).ok).toBe(true)
    for (const bad of ['two words', 'a\nb', 'é', '\u0000', 'x'.repeat(4_097)])
      expect(read(bad)).toEqual(err('env:WORD: must be one line of printable ASCII without spaces.'))
    expect(readWordFrom('env:NONE', world())).toEqual(err('env:NONE: this variable is not set.'))
  })
})

describe('keys of the collector', () => {
  it('from openssl and ssh-keygen make signatures that their public keys verify', async () => {
    const folder = temporaryFolder()
    const [pem, ssh] = [join(folder, 'key.pem'), join(folder, 'key.ssh')]
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', pem], { stdio: 'ignore' })
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', ssh])
    chmodSync(pem, 0o600)
    const keys = valueOf(await openSigningKeys([pem, ssh], undefined, world()))
    const publicKeys = [
      execFileSync('openssl', ['pkey', '-in', pem, '-pubout', '-outform', 'DER']),
      Buffer.from(readFileSync(`${ssh}.pub`, 'utf8').split(' ')[1] ?? '', 'base64'),
    ].map((encoded) => encoded.subarray(-32))
    expect(keys.find(undefined)?.publicKey).toEqual(new Uint8Array(publicKeys[0] ?? []))
    expect(keys.find('00'.repeat(32))).toBeUndefined()
    for (const publicKey of publicKeys) {
      const key = keys.find(bytesToHex(publicKey))
      if (key === undefined) throw new Error('no key')
      const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey])
      const opened = createPublicKey({ key: spki, format: 'der', type: 'spki' })
      const message = Uint8Array.of(1, 2, 3)
      expect(verify(null, message, opened, await key.sign(message))).toBe(true)
    }
  })

  it('that are encrypted require their passphrase, and a wrong one is reported', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'key.pem')
    const encrypt = ['-aes-256-cbc', '-pass', 'pass:right']
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', ...encrypt, '-out', file], {
      stdio: 'ignore',
    })
    chmodSync(file, 0o600)
    const unopened = await openSigningKeys([file], undefined, world())
    expect(unopened).toMatchObject(err([expect.stringContaining('Add --passphrase SOURCE')]))
    const given = (word: string) => openSigningKeys([file], 'env:WORD', world({ WORD: word }))
    expect(await given('wrong')).toMatchObject(err([expect.stringContaining('Wrong passphrase')]))
    for (const word of ['right', 'right\n', 'right\r\n', 'right\nand a remark', 'right\r'])
      expect(await given(word), word).toMatchObject({ ok: true })
    for (const word of ['\nright', 'right ', 'righ'])
      expect(await given(word), word).toMatchObject({ ok: false })
    expect(await openSigningKeys([file], 'env:NONE', world())).toEqual(
      err(['env:NONE: this variable is not set.']),
    )
  })

  it('open with a non-ASCII passphrase from a file in UTF-8 or UTF-16', async () => {
    const folder = temporaryFolder()
    const [file, word] = [join(folder, 'key.pem'), join(folder, 'word')]
    const passphrase = 'm²-garage-3³'
    execFileSync(
      'openssl',
      ['genpkey', '-algorithm', 'ed25519', '-aes-256-cbc', '-pass', 'env:WORD', '-out', file],
      { stdio: 'ignore', env: { ...process.env, WORD: passphrase } },
    )
    chmodSync(file, 0o600)
    const inFile = (bytes: Buffer) => {
      writeFileSync(word, bytes, { mode: 0o600 })
      return openSigningKeys([file], word, world())
    }
    const text = `\ufeff${passphrase}\r\n`
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(text, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
    ])
      expect(await inFile(bytes)).toMatchObject({ ok: true })
    const latin = await inFile(Buffer.from(passphrase, 'latin1'))
    expect(latin).toEqual(err([`${word}: is not UTF-8 text. Save it as UTF-8.`]))
  })

  it('that are invalid are all reported at once, by file', async () => {
    const folder = temporaryFolder()
    const [text, gone] = [join(folder, 'text'), join(folder, 'gone')]
    writeFileSync(text, 'no key', { mode: 0o600 })
    const keys = await openSigningKeys([text, gone], undefined, world())
    expect(keys.ok ? [] : keys.error).toEqual([
      expect.stringMatching(/text: Not a known key format\./),
      expect.stringMatching(/gone: does not exist\./),
    ])
  })
})
