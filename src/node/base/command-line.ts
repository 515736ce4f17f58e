import { parseArgs, type ParseArgsConfig } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { isPlainHost } from '#record/service.ts'

export type Option<T> = {
  /** Name of its value in the help; absent: a switch. */
  readonly value?: string
  readonly help: string
  /** `given`: its values in order; for a switch one entry per occurrence. The error follows the option's name. */
  readonly read: (given: readonly string[]) => Result<T, string>
}

/** Options by their names in camel case: `allowHost` is `--allow-host`. */
type Options = Readonly<Record<string, Option<unknown>>>

export type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never
}

type Read<T> = (text: string) => Result<T, string>

export const toggle = (help: string): Option<boolean> => ({ help, read: (given) => ok(given.length > 0) })

/** If it is given several times, the last value counts. */
export const one = <T>(value: string, help: string, read: Read<T>): Option<T | undefined> => ({
  value,
  help,
  read: (given) => {
    const last = given.at(-1)
    return last === undefined ? ok(undefined) : read(last)
  },
})

export const many = <T>(value: string, help: string, read: Read<T>): Option<readonly T[]> => ({
  value,
  help: `${help}; repeatable`,
  read: (given) => {
    const all = given.map(read)
    const values = all.flatMap((each) => (each.ok ? [each.value] : []))
    return all.find((each) => !each.ok) ?? ok(values)
  },
})

export const withDefault = <T>(option: Option<T | undefined>, fallback: T): Option<T> => ({
  ...option,
  help: `${option.help} (${String(fallback)})`,
  read: (given) => {
    const found = option.read(given)
    return found.ok ? ok(found.value ?? fallback) : found
  },
})

export const text: Read<string> = (given) => (given === '' ? err('needs a value.') : ok(given))

/** A web address, without a slash at the end. */
export const webAddress: Read<string> = (given) =>
  URL.canParse(given) && /^https?:/i.test(given)
    ? ok(given.replace(/\/+$/, ''))
    : err('takes an http or https URL, such as https://nodes.example.')

export const whole =
  (min: number, max: number): Read<number> =>
  (given) => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    return value >= min && value <= max ? ok(value) : err(`takes a whole number from ${min} to ${max}.`)
  }

export const port = (of: string, fallback: number): Option<number> =>
  withDefault(one('P', `port for ${of}; 0 picks a free one`, whole(0, 65_535)), fallback)

/** A name or an address to listen on; brackets around an IPv6 address are optional. */
export const host = withDefault(
  one('H', 'name or address to listen on', (given) => {
    if (given === '') return err('needs a value.')
    return isPlainHost(given)
      ? ok(given.replace(/^\[(.*)\]$/, '$1'))
      : err('takes a host name or an address without scheme or port, such as 127.0.0.1.')
  }),
  '127.0.0.1',
)

export type Command<O extends Options, T> = {
  readonly name: string
  readonly summary: string
  readonly usage: readonly string[]
  /** By heading, as the help lists them; absent: one group. */
  readonly groups?: Readonly<Record<string, Options>>
  readonly options: O
  /** The end of the help. */
  readonly notes?: string
  readonly takesWords?: boolean
  /** `words`: arguments that are not options. The error is one line that says what to change. */
  readonly read: (values: Values<O>, words: readonly string[]) => Result<T, string>
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Reads the arguments of a command; undefined if they request its help. */
export function parseCommand<O extends Options, T>(
  { name, options, takesWords = false, read }: Command<O, T>,
  argv: readonly string[],
): Result<T | undefined, string> {
  const parsed = parseFlags(argv, options, takesWords)
  if (!parsed.ok) return err(`${parsed.error}. See ${name} --help.`)
  const { values, positionals } = parsed.value
  if (values['help'] !== undefined) return ok(undefined)
  const found: unknown[][] = []
  for (const [each, option] of Object.entries(options)) {
    const given = values[flagOf(each).slice(2)] ?? []
    const value = option.read([given].flat().map(String))
    if (!value.ok) return err(`${flagOf(each)} ${value.error}`)
    found.push([each, value.value])
  }
  const all: Values<O> = Object.fromEntries(found)
  return read(all, positionals)
}

/** Node throws for a wrong option; only the first sentence of its message is useful. */
function parseFlags(argv: readonly string[], options: Options, allowPositionals: boolean) {
  const known: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { value }] of Object.entries(options))
    known[flagOf(name).slice(2)] = { type: value === undefined ? 'boolean' : 'string', multiple: true }
  try {
    return ok(parseArgs({ args: [...argv], options: known, allowPositionals }))
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    return err(sentence ?? 'Unreadable options')
  }
}

/** Widths for two columns. */
const NAME_CHARS = 24
const LINE_CHARS = 100

/** Two columns; the second may take several lines. */
function row(name: string, help: string): string {
  const lines = ['']
  for (const word of help.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (NAME_CHARS + last.length + word.length >= LINE_CHARS) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  const indent = `\n${' '.repeat(NAME_CHARS)}`
  const start = `  ${name}`.padEnd(NAME_CHARS)
  return (start.endsWith(' ') ? start : start + indent) + lines.join(indent)
}

export function helpOf<O extends Options, T>(command: Command<O, T>): string {
  const { name, summary, usage, options: all, groups = { Options: all }, notes } = command
  const sections = Object.entries(groups).map(([heading, options]) =>
    [
      heading,
      ...Object.entries(options).map(([each, { value, help }]) =>
        row([flagOf(each), value].join(' ').trim(), help),
      ),
    ].join('\n'),
  )
  const parts = [`${name}: ${summary}`, `Usage: ${usage.join('\n       ')}`, ...sections, notes]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void }

export function fail({ err: report }: Output, lines: readonly string[]): number {
  for (const line of lines) report(line)
  return 1
}

export async function runParsed<O extends Options, T>(
  command: Command<O, T>,
  argv: readonly string[],
  output: Output,
  run: (given: T) => Promise<number> | number,
): Promise<number> {
  const parsed = parseCommand(command, argv)
  if (!parsed.ok) return fail(output, [parsed.error])
  if (parsed.value !== undefined) return run(parsed.value)
  output.out(helpOf(command))
  return 0
}

export type Runnable = readonly [summary: string, run: (argv: readonly string[]) => Promise<number>]

export const runnable = <O extends Options, T>(
  command: Command<O, T>,
  output: Output,
  run: (given: T) => Promise<number> | number,
): Runnable => [command.summary, (argv) => runParsed(command, argv, output, run)]

export async function runNamed(
  [name = 'help', ...argv]: readonly string[],
  commands: Readonly<Record<string, Runnable>>,
  version: string,
  output: Output,
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command[1](argv)
  const list = Object.keys(commands).join(', ')
  if (/^(version|--version|-v)$/.test(name)) output.out(version)
  else if (/^(help|--help|-h)$/.test(name)) output.out(overview(commands))
  else return fail(output, [`Unknown command "${name}". Commands: ${list}. See --help.`])
  return 0
}

const overview = (commands: Readonly<Record<string, Runnable>>): string =>
  [
    'immune-node-dashboard: monitoring dashboard for immune nodes',
    'Usage: immune-node-dashboard COMMAND [OPTIONS]',
    ['Commands', ...Object.entries(commands).map(([name, [summary]]) => row(name, summary))].join('\n'),
    'COMMAND --help lists the options of a command; --version prints the version.',
  ].join('\n\n')

/**
 * Why a server could not listen, and what to do; undefined if the cause is not its address or port. `flag`: the option that
 * sets the port.
 */
export function listenProblem(
  error: unknown,
  at: { readonly host: string; readonly port: number },
  flag = '--port',
): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `Port ${at.port} is in use. Choose another with ${flag} P, where 0 picks a free one.`
    case 'EACCES':
      return `This user is not allowed to bind port ${at.port}. Choose one above 1023 with ${flag} P.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `This computer has no address "${at.host}". Choose another with --host H.`
    default:
      return undefined
  }
}
