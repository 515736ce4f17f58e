import { err, ok, type Result } from '#base/result.ts'
import {
  deliveryUrl,
  SILENCES_PATH,
  parseReceivers,
  receiverIdOf,
  RECEIVERS_MAX,
  type OfferedReceiver,
  type Receiver,
  RECEIVER_TRAITS,
} from '#settings/receiver.ts'
import type { ConfigFile } from './config-file.ts'
import { openKeptList } from './kept-list.ts'

/** Where browsers may have alarms sent to: what the configuration names, and what browsers added. */
export type Receivers = {
  readonly list: () => readonly OfferedReceiver[]
  /** The receiver that a relay's path names; undefined when it is not allowed. */
  readonly find: (id: string) => Receiver | undefined
  /** Adds a receiver, or changes the one with the same kind and address. Returns its id. */
  readonly add: (receiver: Receiver) => Result<string, 'full'>
  /** Takes an added receiver out again; nothing happens where there is none. */
  readonly remove: (id: string) => void
  /** What the engine Worker may reach, as sources of a policy. */
  readonly directSources: () => readonly string[]
}

export const RECEIVERS_FILE = 'receivers.json'

export function openReceivers(
  file: ConfigFile | undefined,
  folder: string | undefined,
  report: (line: string) => void,
): Receivers {
  const kept = openKeptList<Receiver>({
    folder,
    file: RECEIVERS_FILE,
    things: 'receivers',
    parse: parseReceivers,
    documentOf: (receivers) => ({ receivers }),
    report,
  })
  const ofFile = (): readonly Receiver[] => file?.receivers() ?? []
  const without = (id: string): readonly Receiver[] =>
    kept.get().filter((receiver) => receiverIdOf(receiver) !== id)
  // What the person who runs the server wrote comes first.
  const all = (): readonly Receiver[] => [...ofFile(), ...kept.get()]
  const find = (id: string): Receiver | undefined => all().find((receiver) => receiverIdOf(receiver) === id)

  return {
    find,
    list: () => {
      const listed = [
        ...ofFile().map((receiver) => offered(receiver, 'file')),
        ...kept.get().map((receiver) => offered(receiver, 'added')),
      ]
      return listed.filter(({ id }, index) => listed.findIndex((other) => other.id === id) === index)
    },
    add: (receiver) => {
      const id = receiverIdOf(receiver)
      const others = without(id)
      if (others.length >= RECEIVERS_MAX) return err('full')
      kept.set([...others, receiver])
      return ok(id)
    },
    remove: (id) => {
      const others = without(id)
      if (others.length < kept.get().length) kept.set(others)
    },
    directSources: () =>
      all()
        .filter(({ via }) => via === 'direct')
        .flatMap((receiver) => pathsOf(receiver).map(policySource)),
  }
}

/** A browser makes and ends an Alertmanager's silences by POST to one path. */
function pathsOf(receiver: Receiver): readonly string[] {
  const url = deliveryUrl(receiver)
  return RECEIVER_TRAITS[receiver.kind].hasSilences ? [url, new URL(SILENCES_PATH, url).href] : [url]
}

const offered = (receiver: Receiver, from: OfferedReceiver['from']): OfferedReceiver => ({
  id: receiverIdOf(receiver),
  kind: receiver.kind,
  via: receiver.via,
  host: new URL(receiver.url).host,
  from,
  ...(receiver.name !== undefined && { name: receiver.name }),
  // Whoever added it may read it again; what a file says may be a secret of the server, unless the browser must send.
  ...((from === 'added' || receiver.via === 'direct') && { url: receiver.url }),
})

/** An address as a source of a policy: this very path and no other. A policy has no queries, and its own separators are escaped. */
function policySource(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')
}
