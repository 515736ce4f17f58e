import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#protocol/defaults.ts'
import { parseServerConfig, SETTINGS_VERSION, type Service } from '#protocol/settings.ts'

/** Services that were added from the browser. They are the proxy's allow-list, not a part of the configuration. */
export type AddedServices = {
  readonly list: () => readonly Service[]
  /** Adds a service, or replaces the one with the same base URL. */
  readonly add: (service: Service) => Result<void, 'full'>
}

export const ADDED_FILE = 'services.json'

/** Kept in `folder`; undefined keeps them in memory only. A folder that can't be used is said once and costs nothing else. */
export function openAddedServices(folder: string | undefined, report: (line: string) => void): AddedServices {
  const path = folder === undefined ? undefined : join(folder, ADDED_FILE)
  let services = path === undefined ? [] : readServices(path, report)
  let saidUnwritable = false

  const save = () => {
    if (folder === undefined || path === undefined) return
    try {
      writeAtomically(folder, path, { version: SETTINGS_VERSION, services })
      saidUnwritable = false
    } catch (error) {
      if (saidUnwritable) return
      saidUnwritable = true
      report(
        `${path}: can not be written (${codeOf(error)}), so added services are forgotten at the next start. Choose another folder with --data DIR.`,
      )
    }
  }

  return {
    list: () => services,
    add: (service) => {
      const others = services.filter(({ baseUrl }) => baseUrl !== service.baseUrl)
      if (others.length >= DEFAULTS.servicesMax) return err('full')
      services = [...others, service]
      save()
      return ok(undefined)
    },
  }
}

function readServices(path: string, report: (line: string) => void): readonly Service[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    // No file yet is the usual case at a first start.
    if (codeOf(error) !== 'ENOENT') report(`${path}: can not be read (${codeOf(error)}).`)
    return []
  }
  const parsed = parseServerConfig(jsonOf(text))
  if (parsed.ok) return parsed.value.services
  setAside(path, report)
  return []
}

/** A damaged file is kept under another name: nothing that a person wrote is overwritten. */
function setAside(path: string, report: (line: string) => void) {
  const aside = `${path}.damaged`
  try {
    renameSync(path, aside)
    report(`${path}: is damaged and was renamed to ${aside}. Add the services again in the dashboard.`)
  } catch (error) {
    report(`${path}: is damaged and can not be renamed (${codeOf(error)}).`)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON is no valid document, which the caller reports
  }
}

/** A crash in between leaves the old file whole. */
function writeAtomically(folder: string, path: string, document: unknown) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, path)
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
