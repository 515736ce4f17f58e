import type { Result } from '#base/result.ts'
import { jsonIn, membersOf } from '#base/stored.ts'
import { parseReceiver, parseService, type DocumentProblem } from '#settings/documents.ts'
import { CONFIG_VERSION, type Service } from '#settings/schema.ts'
import {
  hasAddress,
  isWrittenByServer,
  receiverIdOf,
  whereOf,
  RECEIVERS_MAX,
  type OfferedReceiver,
  type Receiver,
} from '#settings/receiver.ts'
import { shownMembers } from '#receivers/kinds.ts'
import type { ConfigFile } from './config-file.ts'
import { codeOf, createWriter, unreadable } from '#node/files.ts'
import { receiverSources } from './security-headers.ts'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { replaceFile } from '#node/replace-file.ts'
import { join } from 'node:path'
import { DEFAULTS } from '#base/defaults.ts'
import { toVisibleText } from '#base/visible-text.ts'

/** `isNamed`: the entry is from the server's configuration instead of a browser. */
export type Listed<T> = { readonly entry: T; readonly isNamed: boolean }

/** The name of an account; undefined if visitors have none. */
export type Owner = string | undefined

export type Receivers = ReturnType<typeof openReceivers>

/**
 * The receivers that browsers may use: those of the configuration and those that browsers added. An account sees and changes
 * its own; those added without accounts are for everybody. `isWatched`: the server itself sends to those of the configuration.
 */
export function openReceivers(
  file: ConfigFile,
  folder: string | undefined,
  report: (line: string) => void,
  isWatched = false,
) {
  const kept = openKeptList<Receiver>({
    folder,
    things: 'receivers',
    parse: parseReceiver,
    mostOfOne: RECEIVERS_MAX,
    report,
  })
  const isCalled = (id: string) => (receiver: Receiver) => receiverIdOf(receiver) === id

  return {
    /** The receiver of a relay path; undefined if it is not allowed. */
    find: (owner: Owner, id: string): (Listed<Receiver> & { readonly isOfWatch: boolean }) | undefined => {
      const ofServer = file.receivers().find(isCalled(id))
      const entry = ofServer ?? kept.usable(owner).find(isCalled(id))
      const isNamed = ofServer !== undefined
      return entry && { entry, isNamed, isOfWatch: isWatched && isNamed }
    },
    /** `withUrls`: for this server's own page, which needs the addresses of direct receivers. */
    list: (owner: Owner, withUrls: boolean): readonly OfferedReceiver[] => {
      const listed = [
        ...file.receivers().map((receiver) => offered(receiver, isWatched ? 'watch' : 'file', withUrls)),
        ...kept.own(owner).map((receiver) => offered(receiver, 'added', withUrls)),
        ...kept.usable(owner).map((receiver) => offered(receiver, 'file', withUrls)),
      ]
      return listed.filter(({ id }, index) => listed.findIndex((other) => other.id === id) === index)
    },
    /** One of the receivers that the owner added. */
    own: (owner: Owner, id: string): Receiver | undefined => kept.own(owner).find(isCalled(id)),
    /** `replaces`: the id of one that was edited. False: the list is full. */
    add: (owner: Owner, receiver: Receiver, replaces?: string): boolean => {
      const id = receiverIdOf(receiver)
      if (replaces !== undefined && replaces !== id) kept.remove(owner, isCalled(replaces))
      return kept.put(owner, receiver, isCalled(id))
    },
    remove: (owner: Owner, id: string): void => kept.remove(owner, isCalled(id)),
    directSources: (owner: Owner): readonly string[] =>
      [...file.receivers(), ...kept.usable(owner)].flatMap(receiverSources),
  }
}

const offered = (receiver: Receiver, from: OfferedReceiver['from'], withUrl: boolean): OfferedReceiver => ({
  id: receiverIdOf(receiver),
  kind: receiver.kind,
  via: receiver.via,
  host: whereOf(receiver),
  from,
  ...(receiver.name !== undefined && { name: receiver.name }),
  // A browser may read the URLs that were added in a browser. A URL of the file may be secret, so it is sent only if the
  // browser must use it.
  ...(withUrl &&
    hasAddress(receiver) &&
    (from === 'added' || receiver.via === 'direct') && { url: receiver.url }),
  ...(withUrl &&
    from === 'added' &&
    (!hasAddress(receiver) || isWrittenByServer(receiver)) && { members: shownMembers(receiver) }),
})

type Owned<T> = { readonly entry: T; readonly owner: Owner }

const FULL_ACCOUNTS_MAX = 16

type KeptListOptions<T> = {
  /** Undefined keeps the list in memory only. */
  readonly folder: string | undefined
  /** The name of the file and of the list in it. */
  readonly things: 'receivers' | 'services'
  /** The only version of the file that is read; absent: any. */
  readonly version?: number
  readonly parse: (item: unknown) => Result<T, readonly DocumentProblem[]>
  readonly mostOfOne: number
  readonly report: (line: string) => void
}

/** Reports an unusable folder once and works without it. */
function openKeptList<T extends object>(options: KeptListOptions<T>) {
  const { folder, things, version, mostOfOne, report } = options
  const path = folder === undefined ? undefined : join(folder, `${things}.json`)
  const read = path === undefined ? NOTHING : readItems(path, options)
  let items: readonly Owned<T>[] = read.items
  const write = createWriter(report, (code) => `${path}: can’t be written (${code}). ${forgotten(things)}`)
  const set = (next: readonly Owned<T>[]): void => {
    items = next
    if (folder === undefined || path === undefined || read.isHidden) return
    write(() => writeJson(folder, path, { version, [things]: [...items.map(written), ...read.unread] }))
  }
  const own = (owner: Owner): readonly T[] =>
    items.filter((item) => item.owner === owner).map(({ entry }) => entry)
  return {
    own,
    usable: (owner: Owner): readonly T[] =>
      owner === undefined ? own(owner) : [...own(owner), ...own(undefined)],
    /** Replaces an equal entry. False: the list is full. */
    put: (owner: Owner, entry: T, isSame: (other: T) => boolean): boolean => {
      const others = items.filter((item) => item.owner !== owner || !isSame(item.entry))
      const isFull = others.filter((item) => item.owner === owner).length >= mostOfOne
      if (isFull || others.length >= FULL_ACCOUNTS_MAX * mostOfOne) return false
      set([...others, { entry, owner }])
      return true
    },
    remove: (owner: Owner, isRemoved: (entry: T) => boolean): void => {
      const others = items.filter((item) => item.owner !== owner || !isRemoved(item.entry))
      if (others.length < items.length) set(others)
    },
  }
}

const written = <T extends object>({ entry, owner }: Owned<T>): object =>
  owner === undefined ? entry : { ...entry, owner }

type ReadItems<T> = {
  readonly items: readonly Owned<T>[]
  /** Entries that this build cannot read stay in the file, because another build may read them. */
  readonly unread: readonly unknown[]
  /** The file exists but cannot be read, so it is not overwritten. */
  readonly isHidden: boolean
}

const NOTHING = { items: [], unread: [], isHidden: false }

function readItems<T>(path: string, { things, version, parse, report }: KeptListOptions<T>): ReadItems<T> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    // A missing file is normal at the first start; the first write reports an unusable folder.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return NOTHING
    report(`${path}: ${unreadable(error)} The file is left as it is. ${forgotten(things)}`)
    return { ...NOTHING, isHidden: true }
  }
  const document = membersOf(jsonIn(text)) ?? {}
  const listed = document[things]
  const isReadable = version === undefined || document['version'] === version
  if (!isReadable || !Array.isArray(listed)) return { ...NOTHING, isHidden: !setAside(path, things, report) }
  const items: Owned<T>[] = []
  const unread: unknown[] = []
  for (const [index, item] of listed.entries()) {
    const { owner, ...entry } = membersOf(item) ?? {}
    const parsed = parse(owner === undefined ? item : entry)
    if (parsed.ok) {
      items.push({ entry: parsed.value, owner: typeof owner === 'string' ? owner : undefined })
      continue
    }
    unread.push(item)
    const [problem] = parsed.error
    const why = problem === undefined ? 'can’t be read' : `${problem.path} ${problem.message}`.trim()
    report(
      `${path}: entry ${index + 1} of its ${things} is skipped but stays in the file: ${toVisibleText(why, 200)}.`,
    )
  }
  return { items, unread, isHidden: false }
}

const forgotten = (things: string): string =>
  `Any ${things} added from now on will be lost at the next start. Choose another folder with --data DIR.`

/** Renames a damaged file, so that nothing a person wrote is overwritten. False: renaming failed. */
function setAside(path: string, things: string, report: (line: string) => void): boolean {
  const aside = `${path}.damaged`
  try {
    renameSync(path, aside)
    report(`${path}: is damaged and was renamed to ${aside}. Add the ${things} again in the dashboard.`)
    return true
  } catch (error) {
    report(
      `${path}: is damaged and can’t be renamed (${codeOf(error)}). The file is left as it is. ${forgotten(things)}`,
    )
    return false
  }
}

export function writeJson(folder: string, path: string, document: unknown) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  replaceFile(path, `${JSON.stringify(document, undefined, 2)}\n`)
}

export type AddedServices = ReturnType<typeof openAddedServices>

/** Undefined `folder` keeps them in memory only. */
export function openAddedServices(folder: string | undefined, report: (line: string) => void) {
  const kept = openKeptList<Service>({
    folder,
    things: 'services',
    version: CONFIG_VERSION,
    parse: parseService,
    mostOfOne: DEFAULTS.servicesMax,
    report,
  })
  return {
    list: kept.own,
    usable: kept.usable,
    /** False: the list is full. */
    add: (owner: Owner, service: Service): boolean => kept.put(owner, service, isAt(service.baseUrl)),
    remove: (owner: Owner, baseUrl: string): void => kept.remove(owner, isAt(baseUrl)),
  }
}

const isAt = (baseUrl: string) => (service: Service) => service.baseUrl === baseUrl
