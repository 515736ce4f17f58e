import { PING_EVERY_DEFAULT_MS, type Channels } from '#alarms/channels.ts'
import type { Outgoing } from '#delivery/delivery-queue.ts'
import { needsSound } from '#alarms/sound-plan.ts'
import type { AlarmSeverity } from '#alarms/alarm.ts'
import { createAlarmFacts } from '#texts/alarm-facts.ts'
import type { Announcement, PageFacts } from '#engine/bridge.ts'
import { loadChannels, saveChannels, watchChannels } from '#platform/channel-storage.ts'
import { isVisible, watchVisibility } from '#platform/page-life.ts'
import { listReceivers } from '#platform/server-services.ts'
import { createSoundOutput } from '#platform/sound.ts'
import { systemClock } from '#platform/system-clock.ts'
import { deliveryUrl, isAddressKind } from '#settings/receiver-traits.ts'
import type { Dashboard } from '#react/dashboard.ts'
import type { Notifier } from '#react/notifier.ts'
import { createAlarmNotifier, SOUNDS } from './alarm-notifier.ts'
import { SITE } from '#platform/site.ts'

type Acts = Pick<Notifier, 'save' | 'trySound' | 'unblockSound'>

/** An announcement that arrives this late has already been made by another page. */
const TOO_LATE_MS = 5_000
const LIST_AGAIN_MS = 30_000

/**
 * Plays sounds, shows notifications and vibrates according to this browser's channels, while the engine has chosen this page as
 * the speaker.
 */
export function notifyPeople(dashboard: Dashboard): void {
  const { alarms, engine, fleet, metrics, seconds, nowMs } = dashboard
  let { channels, isChosen } = loadChannels()
  let isKept = true
  let deliveries: Notifier['deliveries'] = []

  let isHeardElsewhere = false
  const output = createSoundOutput()
  const play = (severity: AlarmSeverity): void => output.play(SOUNDS[severity], channels.volume)
  const notify = createAlarmNotifier(createAlarmFacts(fleet.get, SITE, metrics).describe)
  const publish = createPublisher(dashboard)
  const tellFacts = createFactsTeller(dashboard)

  const withoutWatch = createWatchFilter(dashboard, () => putToWork(channels))

  const tick = (): void => {
    const view = alarms.get()
    const own = output.state()
    const sound = own === 'blocked' && isHeardElsewhere ? 'elsewhere' : own
    // Without saved channels, missing sound is reported only once an alarm needs it.
    const isWanted = isChosen || (view?.alarms.some((alarm) => needsSound(alarm, channels.sound)) ?? false)
    const isSoundMissed =
      channels.sound !== 'off' && isWanted && (sound === 'blocked' || sound === 'unsupported')
    publish({ channels, isKept, sound, isSoundMissed, deliveries }, acts)
    tellFacts({ isVisible: isVisible(), sound: own, isSoundMissed, ...dashboard.health.get() })
  }
  const putToWork = (next: Channels): void => {
    channels = next
    void engine.setChannels(withoutWatch(outgoingOf(next)), next.sound)
    tick()
  }
  const acts: Acts = {
    save: (next) => {
      isKept = saveChannels(next)
      isChosen = true
      putToWork(next)
    },
    trySound: async (severity) => {
      await output.unblock()
      play(severity)
      tick()
    },
    unblockSound: async () => {
      await output.unblock()
      tick()
    },
  }

  watchChannels((loaded) => {
    isChosen = loaded.isChosen
    putToWork(loaded.channels)
  })
  void output.watch(tick)
  watchVisibility(tick)
  // A hidden page has no ticks, but it still receives updates.
  seconds.subscribe(tick)
  fleet.subscribe(tick)
  alarms.subscribe(tick)
  dashboard.health.subscribe(tick)
  const announce = (announcement: Announcement): void => {
    if (nowMs() - announcement.atMs > TOO_LATE_MS) return
    if (announcement.kind === 'sound') play(announcement.severity)
    else notify(announcement.notification, channels)
  }
  void engine.watchAnnouncements(announce, (isHeard) => {
    isHeardElsewhere = isHeard
    tick()
  })
  void engine.watchDeliveries((states) => {
    deliveries = states
    tick()
  })
  putToWork(channels)
}

/** Only tests go to receivers that the server itself sends to, so that nothing is sent twice. `changed`: there are others. */
function createWatchFilter({ configuration }: Pick<Dashboard, 'configuration'>, changed: () => void) {
  let ofWatch: readonly Outgoing[] = []
  let wasWatched = false
  const follow = async (): Promise<void> => {
    const isWatched = configuration.get().server.watch !== undefined
    if (isWatched === wasWatched) return
    wasWatched = isWatched
    const listed = isWatched ? await listReceivers() : undefined
    // The server stopped its watch during the read.
    if (wasWatched !== isWatched) return
    if (isWatched && listed === undefined) {
      wasWatched = false
      systemClock.after(LIST_AGAIN_MS, () => void follow())
      return
    }
    const receivers = listed?.receivers ?? []
    ofWatch = receivers.flatMap(({ id, kind, via, from }) =>
      from === 'watch' ? [testOnly(id, kind, via)] : [],
    )
    changed()
  }
  configuration.subscribe(() => void follow())
  void follow()
  return (all: readonly Outgoing[]): readonly Outgoing[] => [
    ...all.filter(({ id }) => !ofWatch.some((other) => other.id === id)),
    ...ofWatch,
  ]
}

const testOnly = (id: string, kind: Outgoing['kind'], via: Outgoing['via']): Outgoing => ({
  id,
  kind,
  via,
  postUrl: relayUrl(id),
  from: 'critical',
  everyMs: PING_EVERY_DEFAULT_MS,
  silences: false,
  screenAlarms: false,
  isTestOnly: true,
})

const relayUrl = (id: string): string => `${SITE}/relay/${id}`

function createPublisher({ notifier }: Pick<Dashboard, 'notifier'>) {
  return (now: Omit<Notifier, keyof Acts>, acts: Acts): void => {
    const before = notifier.get()
    if (before === undefined || !isWithin(now, before)) notifier.publish({ ...now, ...acts })
  }
}

const isWithin = (part: object, whole: object): boolean =>
  Object.entries(part).every(([name, value]) => Reflect.get(whole, name) === value)

/** Reports changes to the engine, which chooses the speaker accordingly and raises an alarm for missing sound. */
function createFactsTeller({ engine }: Pick<Dashboard, 'engine'>) {
  let sent: PageFacts | undefined
  return (facts: PageFacts): void => {
    if (sent !== undefined && isWithin(facts, sent)) return
    sent = facts
    void engine.setPageFacts(facts)
  }
}

const outgoingOf = ({ sendTo }: Channels): readonly Outgoing[] =>
  sendTo.map(({ id, kind, via, from, everyMs, silences, screenAlarms, url, routing }) => {
    const isDirect = via === 'direct' && url !== undefined && isAddressKind(kind)
    const postUrl = isDirect ? deliveryUrl({ kind, url }) : relayUrl(id)
    return { id, kind, via, from, everyMs, silences, screenAlarms, postUrl, ...(routing && { routing }) }
  })
