import type { Channels } from '#alarms/channels.ts'
import type { Outgoing } from '#alarms/delivery.ts'
import { needsSound } from '#alarms/sound-plan.ts'
import { createAlarmFacts } from '#engine/alarm-facts.ts'
import { loadChannels, saveChannels, watchChannels } from '#platform/channel-storage.ts'
import { deliveryUrl, RECEIVER_TRAITS, SILENCE_PATH, SILENCES_PATH } from '#settings/receiver.ts'
import type { Dashboard } from '#react/dashboard.ts'
import type { Notifier } from '#react/notifier.ts'
import { createAlarmNotifier } from './alarm-notifier.ts'
import { createAlarmSounds } from './sound-player.ts'

type Acts = Pick<Notifier, 'save' | 'trySound' | 'unblockSound'>

/** Has this tab tell people of alarms by what this browser is set to: sound, notifications, shaking, and messages. */
export function notifyPeople(dashboard: Dashboard): void {
  const { alarms, engine, fleet, seconds, nowMs, engineState } = dashboard
  let { channels, isChosen } = loadChannels()
  let isKept = true
  let deliveries: Notifier['deliveries'] = []

  const leads = (): boolean => engineState.get().kind === 'running'
  const sounds = createAlarmSounds(nowMs, leads)
  const notify = createAlarmNotifier(createAlarmFacts(fleet.get, location.origin).describe)
  const publish = createPublisher(dashboard)

  const tick = (): void => {
    const view = alarms.get()
    sounds.tick(channels, view)
    const sound = sounds.state()
    // Whoever has chosen nothing is not told of it before it matters.
    const isWanted = isChosen || (view?.alarms.some((alarm) => needsSound(alarm, channels.sound)) ?? false)
    const isSoundMissed =
      channels.sound !== 'off' && isWanted && (sound === 'blocked' || sound === 'unsupported')
    publish({ channels, isKept, sound, isSoundMissed, deliveries }, acts)
  }
  const putToWork = (next: Channels): void => {
    channels = next
    void engine.sendTo(outgoingOf(next))
    tick()
  }
  const acts: Acts = {
    save: (next) => {
      isKept = saveChannels(next)
      isChosen = true
      putToWork(next)
    },
    trySound: async (severity) => {
      await sounds.unblock()
      sounds.play(severity, channels.volume)
      tick()
    },
    unblockSound: async () => {
      await sounds.unblock()
      tick()
    },
  }

  watchChannels((loaded) => {
    isChosen = loaded.isChosen
    putToWork(loaded.channels)
  })
  sounds.watch(tick)
  // A hidden page does not tick, but updates still come.
  seconds.subscribe(tick)
  fleet.subscribe(tick)
  alarms.subscribe(tick)
  // Only the tab that judges hears these, so that one tells.
  void engine.watchNotices((notice) => notify(notice, channels))
  void engine.watchDeliveries((states) => {
    deliveries = states
    tick()
  })
  putToWork(channels)
}

/** Publishes what changed, and tells the engine whether alarms can't be heard: that is an alarm of its own. */
function createPublisher({ notifier, engine }: Pick<Dashboard, 'notifier' | 'engine'>) {
  let saidBlocked: boolean | undefined
  return (now: Omit<Notifier, keyof Acts>, acts: Acts): void => {
    const before = notifier.get()
    const isNew =
      before === undefined || Object.entries(now).some(([name, value]) => Reflect.get(before, name) !== value)
    if (isNew) notifier.publish({ ...now, ...acts })
    const isBlocked = now.sound === 'trying' ? undefined : now.isSoundMissed
    if (saidBlocked === isBlocked) return
    saidBlocked = isBlocked
    void engine.sayOfScreen({ soundBlocked: saidBlocked })
  }
}

const outgoingOf = ({ sendTo }: Channels): readonly Outgoing[] =>
  sendTo.map(({ id, kind, via, from, everyMs, url, silences: share }) => {
    const isDirect = via === 'direct' && url !== undefined
    const postUrl = isDirect ? deliveryUrl({ kind, url }) : `${location.origin}/relay/${id}`
    if (!RECEIVER_TRAITS[kind].hasSilences) return { id, kind, via, from, everyMs, postUrl }
    const below = isDirect ? new URL('.', postUrl).href : `${postUrl}/`
    const silences = { share, url: below + SILENCES_PATH, each: below + SILENCE_PATH }
    return { id, kind, via, from, everyMs, postUrl, silences }
  })
