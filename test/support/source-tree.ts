import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The text of a file, by its path from the project's root. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Every file below a folder, as paths from that folder with "/"; empty if the folder does not exist. */
export const filesOf = (folder: string): readonly string[] =>
  existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(ROOT, folder, path)).isFile())
        .map((path) => path.replaceAll(sep, '/'))
        .toSorted()
    : []

/** Every file in src, relative to src. */
export const sources = filesOf('src')
