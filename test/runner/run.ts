import { spawn } from 'node:child_process'
import process from 'node:process'

export type Ended = {
  /** 1 for a program that could not be started or was ended from outside. */
  readonly exitCode: number
  /** What it wrote, to either stream, in the order in which it came. Nothing, where it writes where this one does. */
  readonly output: string
}

type RunOptions = {
  readonly cwd: string
  /** It is to be watched, so it writes where this one does. */
  readonly isAloud?: boolean
  /** Then it is ended. */
  readonly limitMs?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program for Node, a file. */
export function run(
  file: string,
  args: readonly string[],
  { cwd, isAloud = false, limitMs, env }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    stdio: isAloud ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    env: { ...process.env, ...env },
  })
  let output = ''
  const keep = (text: string): void => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  return new Promise((ended) => {
    child.once('error', (error) => ended({ exitCode: 1, output: `${output}${String(error)}\n` }))
    child.once('close', (code) => ended({ exitCode: code ?? 1, output }))
  })
}
