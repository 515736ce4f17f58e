import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '#test/support/temporary-file.ts'
import { atMost } from './at-most.ts'
import { run } from './run.ts'

function program(text: string): readonly [file: string, folder: string] {
  const folder = temporaryFolder()
  const file = join(folder, 'program.cjs')
  writeFileSync(file, text)
  return [file, folder]
}

it('collects both output streams and the exit code', async () => {
  const [file, folder] = program(
    'process.stdout.write(process.argv[2] + "\\n"); process.stderr.write("bad\\n"); process.exitCode = 3',
  )
  const { exitCode, output } = await run(file, ['said'], { cwd: folder })
  expect(exitCode).toBe(3)
  expect(output.split('\n').toSorted()).toEqual(['', 'bad', 'said'])
})

it.each([
  ['ends well', '', 0],
  ['fails', 'process.exit(7)', 7],
  ['is killed', 'process.kill(process.pid, "SIGKILL")', 1],
])('reports the exit code of a program that %s', async (_how, text, exitCode) => {
  const [file, folder] = program(text)
  expect(await run(file, [], { cwd: folder, isAloud: true })).toEqual({ exitCode, output: '' })
})

it('kills a program that exceeds its time limit', async () => {
  const [file, folder] = program('setInterval(() => {}, 1000)')
  expect((await run(file, [], { cwd: folder, limitMs: 50 })).exitCode).toBe(1)
})

it('starts tasks in order, never exceeds the limit, and returns every result', async () => {
  const ends: (() => void)[] = []
  const all = atMost(2, ['a', 'b', 'c'], (one) => new Promise((end) => ends.push(() => end(one))))
  expect(ends.length).toBe(2)
  ends[1]?.()
  await expect.poll(() => ends.length).toBe(3)
  ends[2]?.()
  ends[0]?.()
  expect(await all).toEqual(['a', 'b', 'c'])
})
