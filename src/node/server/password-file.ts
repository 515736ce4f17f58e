import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { statSync } from 'node:fs'
import { promisify } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { fail, type Command, type Output } from '#node/command-line.ts'
import { readTextFile, stampOf } from '#node/files.ts'

/** A line `NAME:$scrypt$ln=17,r=8,p=1$SALT$HASH`; the part after the colon is in PHC string format. */
type PasswordHash = {
  readonly ln: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
  readonly hash: Buffer
}

export type PasswordFile = {
  readonly count: () => number
  /** Takes the same time for an unknown name. */
  readonly verify: (name: string, password: string) => Promise<boolean>
  /**
   * Changes when the account's line changes; undefined once it is removed. A session ends when the password that started it
   * changes.
   */
  readonly stampOf: (name: string) => string | undefined
}

/** OWASP's recommendation for scrypt: 128 MB and a few tenths of a second per attempt. */
const LN = 17
const LN_LIMITS = { least: 14, most: 18 }
const SALT_BYTES = 16
const HASH_BYTES = 32
const PASSWORD_CHARS = { least: 10, most: 1_024 }
/** scrypt treats trailing zero bytes as absent, and invalid UTF-8 is read as U+FFFD, so these passwords would be ambiguous. */
const AMBIGUOUS = /[\0\ufffd]/
const FILE_MAX_BYTES = 65_536
const ACCOUNTS_MAX = 256

export const isAccountName = (text: string): boolean => /^[A-Za-z0-9._@-]{1,64}$/.test(text)

export async function passwordLine(name: string, password: string, ln = LN): Promise<Result<string, string>> {
  if (!isAccountName(name))
    return err('The name must have 1 to 64 characters: letters, digits, ".", "_", "@" or "-".')
  if (password.length < PASSWORD_CHARS.least || password.length > PASSWORD_CHARS.most)
    return err(`The password must have ${PASSWORD_CHARS.least} to ${PASSWORD_CHARS.most} characters.`)
  if (isAmbiguous(password)) return err('A password must be UTF-8 text without NUL characters.')
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, { ln, r: 8, p: 1, salt, hash: Buffer.alloc(HASH_BYTES) })
  return ok(`${name}:$scrypt$ln=${ln},r=8,p=1$${base64(salt)}$${base64(hash)}`)
}

const isAmbiguous = (password: string): boolean => AMBIGUOUS.test(password) || /\p{Surrogate}/u.test(password)

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Normalized, so that "é" is the same from every keyboard. */
const derive = (password: string, { ln, r, p, salt, hash }: PasswordHash): Promise<Buffer> =>
  deriveKey(password.normalize('NFC'), salt, hash.length, { N: 2 ** ln, r, p, maxmem: 129 * 2 ** ln * r * p })

/** Reads the file again after each change. The error has one line for each problem. */
export function openPasswordFile(
  path: string,
  report: (line: string) => void,
): Result<PasswordFile, readonly string[]> {
  let stamp: string | undefined = stampOf(path)
  const opened = readAccounts(path)
  if (!opened.ok) return err([opened.error])
  let current = opened.value
  let reported: string | undefined
  const accounts = (): Accounts => {
    const now = stampOf(path)
    if (now === stamp) return current
    const changed = readAccounts(path)
    // A file that was unreadable for a moment may be readable next time, without a change of its stamp.
    stamp = changed.ok ? now : undefined
    // A removed account must not stay valid because another line is wrong.
    current = changed.ok ? changed.value : { ...current, byName: new Map() }
    const problem = changed.ok ? undefined : changed.error
    if (problem !== undefined && problem !== reported)
      report(`Nobody can sign in until this is corrected: ${problem}`)
    reported = problem
    return current
  }
  return ok({
    count: () => accounts().byName.size,
    verify: async (name, password) => {
      const { byName, first } = accounts()
      const known = byName.get(name)
      const verified = known ?? first
      if (password.length > PASSWORD_CHARS.most || isAmbiguous(password)) return false
      const derived = await derive(password, verified)
      return timingSafeEqual(derived, verified.hash) && known !== undefined
    },
    stampOf: (name) => accounts().byName.get(name)?.hash.toString('hex'),
  })
}

type Accounts = {
  readonly byName: ReadonlyMap<string, PasswordHash>
  /** Unknown names are verified against this hash, so that they take equally long, even while sign-in is blocked. */
  readonly first: PasswordHash
}

function readAccounts(path: string): Result<Accounts, string> {
  const text = readTextFile(path, FILE_MAX_BYTES)
  if (!text.ok) return err(`${path}: ${text.error}`)
  if (process.platform !== 'win32' && (statSync(path).mode & 0o022) !== 0)
    return err(
      `${path}: other users can write to it and so could give themselves access. Run: chmod 600 ${path}`,
    )
  const accounts = new Map<string, PasswordHash>()
  for (const [index, line] of text.value.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const account = readLine(line.trim())
    if (account === undefined) return err(`${path}: line ${index + 1} was not written by hash-password.`)
    if (accounts.has(account.name)) return err(`${path}: line ${index + 1} repeats an account.`)
    accounts.set(account.name, account.hash)
  }
  const [first] = accounts.values()
  if (first === undefined) return err(`${path}: contains no account. Add a line with: hash-password NAME`)
  return accounts.size > ACCOUNTS_MAX
    ? err(`${path}: contains more than ${ACCOUNTS_MAX} accounts.`)
    : ok({ byName: accounts, first })
}

const LINE = /^([^:]+):\$scrypt\$ln=(\d{1,2}),r=8,p=(\d)\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43})$/

function readLine(line: string): { readonly name: string; readonly hash: PasswordHash } | undefined {
  const [, name = '', lnText, pText, salt = '', hash = ''] = LINE.exec(line) ?? []
  const [ln, p] = [Number(lnText), Number(pText)]
  const isCost = ln >= LN_LIMITS.least && ln <= LN_LIMITS.most && p >= 1 && p <= 4
  if (!isAccountName(name) || !isCost) return undefined
  return {
    name,
    hash: { ln, r: 8, p, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') },
  }
}

const NO_OPTIONS = {}

export const HASH_COMMAND: Command<typeof NO_OPTIONS, string> = {
  name: 'hash-password',
  summary: 'read a password from standard input and print its line for --password-file',
  usage: ['hash-password NAME'],
  groups: {},
  options: NO_OPTIONS,
  takesWords: true,
  read: (_, [name, ...more]) =>
    name !== undefined && more.length === 0 && isAccountName(name)
      ? ok(name)
      : err('Usage: hash-password NAME, with the password on standard input.'),
}

/** `readSecret`: reads all of standard input; typed characters are not shown. */
export async function hashPassword(
  name: string,
  output: Output & { readonly readSecret: (prompt: string) => Promise<string> },
  cost?: number,
): Promise<number> {
  const password = (await output.readSecret(`Password for ${name}: `)).replace(/\r?\n$/, '')
  const line = await passwordLine(name, password, cost)
  if (!line.ok) return fail(output, [line.error])
  output.out(line.value)
  return 0
}
