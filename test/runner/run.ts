import { spawn } from 'node:child_process'
import process from 'node:process'

export type Ended = {
  /** 1 for a program that could not start or was killed. */
  readonly exitCode: number
  /** Both output streams, in the order of arrival; empty if the program writes to the runner's own streams. */
  readonly output: string
}

type RunOptions = {
  readonly cwd: string
  /** Lets the program write to the runner's own streams, so that its progress is visible. */
  readonly isAloud?: boolean
  /** Kills the program after this time. */
  readonly limitMs?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a JavaScript file with Node. */
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
