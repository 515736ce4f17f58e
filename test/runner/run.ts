import { spawn, type StdioOptions } from 'node:child_process'
import process from 'node:process'

export type Ended = {
  /** 1 for a program that could not be started or was ended from outside. */
  readonly exitCode: number
  /** What it wrote, to either stream, in the order in which it came. */
  readonly output: string
}

/** Runs a program for Node, a file, in `cwd`, and keeps what it writes. */
export function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  return start(file, args, cwd, ['ignore', 'pipe', 'pipe'])
}

/**
 * The same for a program that is to be watched: it writes where this one does. After `limitMs` it is ended.
 * Resolves to the exit code.
 */
export async function runAloud(
  file: string,
  args: readonly string[],
  cwd: string,
  limitMs?: number,
): Promise<number> {
  return (await start(file, args, cwd, ['ignore', 'inherit', 'inherit'], limitMs)).exitCode
}

function start(
  file: string,
  args: readonly string[],
  cwd: string,
  stdio: StdioOptions,
  limitMs?: number,
): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], { cwd, stdio, timeout: limitMs })
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
