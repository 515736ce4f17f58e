import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { CHANNEL_DEFAULTS, type Channels, type ChannelReceiver } from '#alarms/channels.ts'
import type { Delivered, DeliveryFailure, DeliveryState } from '#delivery/delivery-queue.ts'
import { err, ok, type Result } from '#base/result.ts'
import { NotificationsSection } from '#features/settings/notifications/notifications-section.tsx'
import type { OfferedReceivers, ReceiverProblem } from '#platform/server-services.ts'
import type { Members } from '#receivers/kind.ts'
import type { OfferedReceiver } from '#settings/receiver.ts'
import type { Notifier } from '#react/notifier.ts'
import type { ServerWatch } from '#react/dashboard.ts'
import { createStore } from '#base/store.ts'
import { anAlarmsView } from '#test/support/alarm-fixture.ts'
import { fakeDashboard, NO_SERVER, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aService, WALL_MS } from '#test/support/fleet-fixture.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { channelTexts } from '#texts/en-channels.ts'

const PAGER: ChannelReceiver = {
  id: 'pager',
  kind: 'alertmanager',
  via: 'relay',
  name: 'Pager',
  from: 'warning',
  everyMs: 300_000,
  silences: false,
  screenAlarms: false,
}
const HOOK: ChannelReceiver = { ...PAGER, id: 'hook', kind: 'webhook', name: 'Hook' }
const OFFERED: OfferedReceiver = {
  id: 'hook',
  kind: 'webhook',
  via: 'relay',
  host: 'hook.example',
  from: 'file',
}
const DELIVERED: DeliveryState = {
  id: 'hook',
  waiting: 0,
  lastDeliveredWallMs: undefined,
  failingSinceWallMs: undefined,
  failure: undefined,
  nextTryWallMs: undefined,
  lost: 0,
  refused: 0,
  lastRefusal: undefined,
}

function setUp(given: Partial<Notifier> = {}, options: FakeOptions = {}) {
  const saved: Channels[] = []
  const tried: string[] = []
  const notifier: Notifier = {
    channels: CHANNEL_DEFAULTS,
    isKept: true,
    sound: 'ready',
    isSoundMissed: false,
    deliveries: [],
    save: (next) => {
      saved.push(next)
      const now = dashboard.notifier.get()
      if (now !== undefined) dashboard.notifier.publish({ ...now, channels: next })
    },
    trySound: async (severity) => void tried.push(severity),
    unblockSound: async () => undefined,
    ...given,
  }
  const dashboard = fakeDashboard({ notifier, alarms: anAlarmsView([]), ...options })
  const user = userEvent.setup()
  renderWith(dashboard, <NotificationsSection />)
  return { user, saved, tried, dashboard }
}

const panel = (name: string) => within(screen.getByRole('region', { name }))
const choice = (group: string, option: string, place = within(document.body)) =>
  within(place.getByRole('group', { name: group })).getByText(option)
type Changed = Result<OfferedReceivers, ReceiverProblem>
const serverOf = (receivers: readonly OfferedReceiver[], canAdd = true) => {
  const changed = async (): Promise<Changed> => ok({ receivers, canAdd })
  return {
    list: async () => ({ receivers, canAdd }),
    add: vi.fn<(receiver: Members, replaces?: string) => Promise<Changed>>(changed),
    remove: vi.fn<(id: string) => Promise<Changed>>(changed),
  }
}

describe('the sound panel', () => {
  it('saves level and volume, plays a test, and warns of blocked sound and unsaved settings', async () => {
    const { user, saved, tried } = setUp({ sound: 'blocked', isKept: false })
    const sound = panel('Sound')
    await user.click(choice(channelTexts.sound.level, 'no alarms', sound))
    await user.click(choice('Volume', 'high', sound))
    expect(saved).toMatchObject([{ sound: 'off' }, { sound: 'off', volume: 1 }])
    await user.click(sound.getByRole('button', { name: 'Play the Warning sound' }))
    expect(tried).toEqual(['warning'])
    sound.getByText(channelTexts.sound.states.blocked)
    sound.getByText(/--autoplay-policy=no-user-gesture-required/)
    screen.getByText(channelTexts.notKept)
  })

  it('mutes for 15 minutes, unmutes, and reports when the engine does neither', async () => {
    const alarmAct = vi.fn<() => Promise<boolean>>(async () => true)
    const { user, dashboard } = setUp({}, { engine: { alarmAct } })
    const sound = panel('Sound')
    await user.click(sound.getByRole('button', { name: 'Mute for 15 minutes' }))
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'mute', untilWallMs: WALL_MS + 900_000 })
    dashboard.alarms.publish(anAlarmsView([], { mutedUntilWallMs: WALL_MS + 900_000 }))
    alarmAct.mockResolvedValue(false)
    await user.click(await sound.findByRole('button', { name: 'Unmute' }))
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unmute' })
    await waitFor(() => expect(dashboard.toasts.get().at(-1)?.text).toBe(alarmTexts.done.failed))
  })
})

describe('desktop notifications', () => {
  function stubNotification(permission: NotificationPermission, answer = permission) {
    const shown: string[] = []
    class Stub extends EventTarget {
      static permission = permission
      static async requestPermission() {
        Stub.permission = answer
        return answer
      }
      constructor(title: string) {
        super()
        if (title.startsWith('Test notification')) shown.push(title)
      }
    }
    vi.stubGlobal('Notification', Stub)
    vi.stubGlobal('isSecureContext', true)
    return shown
  }

  it('ask for permission on a click, and can then be tested', async () => {
    const shown = stubNotification('default', 'granted')
    const { user } = setUp()
    const here = panel('Desktop notifications')
    here.getByText(channelTexts.notifications.states.default)
    await user.click(here.getByRole('button', { name: channelTexts.notifications.ask }))
    here.getByText(channelTexts.notifications.states.granted)
    expect(here.queryByRole('button', { name: channelTexts.notifications.ask })).toBeNull()
    await user.click(here.getByRole('button', { name: channelTexts.notifications.test }))
    expect(shown).toHaveLength(1)
  })

  it.each([
    ['denied', channelTexts.notifications.states.denied],
    [undefined, channelTexts.notifications.states.unsupported],
  ] as const)('F 95: show a reason and no button when the permission is %s', (permission, words) => {
    if (permission !== undefined) stubNotification(permission)
    setUp()
    const here = panel('Desktop notifications')
    here.getByText(words)
    expect(here.queryAllByRole('button')).toEqual([])
  })
})

describe('a receiver', () => {
  const sending = (...sendTo: readonly ChannelReceiver[]) => ({ channels: { ...CHANNEL_DEFAULTS, sendTo } })

  it('of the server’s watch shows its queue, and this browser can only send it tests', async () => {
    const state = { ...DELIVERED, id: 'w', waiting: 3 }
    const receivers = [{ id: 'w', kind: 'slack', name: 'Pager', where: 'hooks.example', state }]
    const report = { wallMs: 0, startedWallMs: 0, evaluatedWallMs: 0, view: anAlarmsView([]), receivers }
    const testReceiver = vi.fn<() => Promise<Result<Delivered, DeliveryFailure>>>(async () =>
      ok({ status: 200, answer: 'fine' }),
    )
    const { user } = setUp(
      { channels: { ...CHANNEL_DEFAULTS, sendTo: [{ ...HOOK, id: 'w' }] } },
      {
        receivers: serverOf([
          { id: 'w', kind: 'slack', name: 'Pager', via: 'relay', host: '', from: 'watch' },
        ]),
        engine: { testReceiver },
        serverWatch: { store: createStore<ServerWatch | undefined>({ report, heardMs: 0 }) },
      },
    )
    const pager = within(await screen.findByRole('region', { name: 'Pager' }))
    await pager.findByText(/3 queued/)
    pager.getByText(channelTexts.receivers.byWatch)
    expect(pager.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Send a test'])
    await user.click(pager.getByRole('button'))
    await pager.findByText('Delivered (HTTP 200): fine.')
    expect(testReceiver).toHaveBeenCalledWith('w')
    expect(screen.queryByRole('button', { name: channelTexts.receivers.use })).toBeNull()
  })

  it('offered by the server is enabled with one click, and stays available after removal', async () => {
    const receivers = serverOf([OFFERED])
    const { user, saved } = setUp({}, { receivers })
    await user.click(await screen.findByRole('button', { name: 'Send from this browser' }))
    expect(saved.at(-1)?.sendTo).toEqual([{ ...HOOK, name: 'hook.example' }])
    await user.click(screen.getByRole('button', { name: 'Remove hook.example' }))
    expect(saved.at(-1)?.sendTo).toEqual([])
    expect(receivers.remove).not.toHaveBeenCalled()
    await screen.findByRole('button', { name: 'Send from this browser' })
  })

  it('added from a browser is also removed from the server’s list', async () => {
    const receivers = serverOf([{ ...OFFERED, from: 'added' }])
    const { user, saved } = setUp(sending(HOOK, PAGER), { receivers })
    await screen.findByRole('button', { name: channelTexts.receivers.add })
    await user.click(screen.getByRole('button', { name: 'Remove Hook' }))
    await waitFor(() => expect(receivers.remove.mock.calls[0]?.[0]).toBe('hook'))
    expect(saved.at(-1)?.sendTo).toEqual([PAGER])
  })

  it('is added by URL: an empty one shows an error, and a valid one goes to the server', async () => {
    const receivers = serverOf([])
    const { user, saved } = setUp({}, { receivers })
    await user.click(await screen.findByRole('button', { name: channelTexts.receivers.add }))
    const adding = panel('Adding')
    await user.selectOptions(adding.getByRole('combobox', { name: 'Type' }), 'Dead-man’s switch')
    await user.click(adding.getByRole('button', { name: 'Add' }))
    adding.getByText(channelTexts.receivers.required)
    await fillIn(adding.getByRole('textbox', { name: channelTexts.receivers.url }), 'https://ping.example/x')
    await user.selectOptions(adding.getByRole('combobox', { name: 'Interval' }), '15 minutes')
    await user.click(adding.getByRole('button', { name: 'Add' }))
    expect(receivers.add.mock.calls[0]?.[0]).toEqual({
      kind: 'ping',
      url: 'https://ping.example/x',
      via: 'relay',
    })
    expect(saved.at(-1)?.sendTo).toMatchObject([{ kind: 'ping', name: 'ping.example', everyMs: 900_000 }])
    // The server sends to the URL, so the browser must not store it.
    expect(saved.at(-1)?.sendTo[0]).not.toHaveProperty('url')
    panel('ping.example').getByText('15 minutes')
  })

  it('of a provider has fields and a preview, and is edited without retyping its secret', async () => {
    const receivers = serverOf([
      { ...OFFERED, kind: 'gotify', from: 'added', members: { url: 'https://push.example' } },
    ])
    const chosen = { from: 'critical' as const, screenAlarms: true, routing: { tags: ['eu'] } }
    const { user, saved } = setUp(sending({ ...HOOK, kind: 'gotify', ...chosen }), { receivers })
    await user.click(await screen.findByRole('button', { name: channelTexts.receivers.add }))
    const adding = panel('Adding')
    await user.selectOptions(adding.getByRole('combobox', { name: 'Type' }), 'Gotify')
    adding.getByText(/Heartbeat too old, vela-007/)
    await user.click(adding.getByRole('button', { name: 'Add' }))
    expect(adding.getAllByText(channelTexts.receivers.required)).toHaveLength(2)
    await user.click(adding.getByRole('button', { name: 'Cancel' }))
    await user.click(screen.getByRole('button', { name: 'Edit Hook' }))
    const editing = panel('Editing')
    await fillIn(editing.getByRole('textbox', { name: 'Name' }), 'Phone')
    await user.click(editing.getByRole('button', { name: 'Save' }))
    const edited = { kind: 'gotify', name: 'Phone', url: 'https://push.example' }
    expect(receivers.add.mock.calls[0]).toEqual([edited, 'hook'])
    expect(saved.at(-1)?.sendTo).toMatchObject([{ kind: 'gotify', name: 'Phone', ...chosen }])
  })

  it('drops an optional secret that the user removes, and keeps a required one left empty', async () => {
    const members = { url: 'https://ntfy.example' }
    const receivers = serverOf([{ ...OFFERED, kind: 'ntfy', from: 'added', members }])
    const { user } = setUp(sending({ ...HOOK, kind: 'ntfy' }), { receivers })
    await user.click(await screen.findByRole('button', { name: 'Edit Hook' }))
    const editing = panel('Editing')
    // The topic is a secret too, but it is required and can’t be removed.
    expect(editing.getAllByRole('checkbox')).toHaveLength(1)
    await user.click(editing.getByRole('checkbox', { name: 'Remove the stored access token' }))
    await user.click(editing.getByRole('button', { name: 'Save' }))
    expect(receivers.add.mock.calls[0]).toEqual([{ kind: 'ntfy', ...members, token: null }, 'hook'])
  })

  it('of webhooks saves a secret and a template with preview, available only via the server', async () => {
    const receivers = serverOf([])
    const { user } = setUp({}, { receivers })
    await user.click(await screen.findByRole('button', { name: channelTexts.receivers.add }))
    const adding = panel('Adding')
    const fill = async (name: string, text: string) => {
      await user.clear(adding.getByLabelText(name))
      await user.click(adding.getByLabelText(name))
      await user.paste(text)
    }
    await fill('URL', 'https://hook.example/x')
    await fill('Template', '{"a": "{{titel}}"}')
    await user.click(adding.getByRole('button', { name: 'Add' }))
    adding.getByText(/unknown placeholder {{titel}}/)
    await fill('Template', '{"a": "{{title}}"}')
    adding.getByText(/"a": "Critical: Heartbeat too old, vela-007"/)
    await fill('Signing secret', 'hush')
    await user.click(choice('Sent by', channelTexts.receivers.vias.direct, adding))
    expect(adding.queryByLabelText('Template')).toBeNull()
    await user.click(choice('Sent by', channelTexts.receivers.vias.relay, adding))
    await user.click(adding.getByRole('button', { name: 'Add' }))
    const written = { secret: 'hush', template: '{"a": "{{title}}"}' }
    expect(receivers.add.mock.calls[0]?.[0]).toMatchObject({ url: 'https://hook.example/x', ...written })
  })

  it('gets alarms directly from the browser when there is no server', async () => {
    const { user, saved } = setUp()
    await user.click(await screen.findByRole('button', { name: channelTexts.receivers.add }))
    await screen.findByText(channelTexts.receivers.staticHint, { exact: false })
    await fillIn(screen.getByRole('textbox', { name: channelTexts.receivers.url }), 'https://hook.example/x')
    await user.click(screen.getByRole('button', { name: 'Add' }))
    expect(saved.at(-1)?.sendTo).toMatchObject([
      { via: 'direct', url: 'https://hook.example/x', from: 'warning' },
    ])
  })

  it('can’t be added when the server accepts none', async () => {
    setUp({}, { receivers: serverOf([], false) })
    await screen.findByText('This server accepts no receivers from this browser: use its configuration.')
    expect(screen.queryByRole('button', { name: channelTexts.receivers.add })).toBeNull()
  })

  it('that the server refuses is not used, and stays in its form with the reason', async () => {
    const refused = async () => err({ kind: 'refused', answer: 'one too\u202emany' } as const)
    const { user, saved } = setUp({}, { receivers: { ...serverOf([]), add: refused } })
    await user.click(await screen.findByRole('button', { name: channelTexts.receivers.add }))
    await fillIn(screen.getByRole('textbox', { name: channelTexts.receivers.url }), 'https://hook.example')
    await user.click(panel('Adding').getByRole('button', { name: 'Add' }))
    await panel('Adding').findByText('one too⟨U+202E⟩many')
    expect(saved).toEqual([])
  })

  it('gets this screen’s own alarms only if the user turns them on', async () => {
    const { user, saved } = setUp(sending(HOOK), { server: { ...NO_SERVER, services: [aService()] } })
    const { routing, state } = channelTexts.receivers
    const { legend, names } = channelTexts.receivers.screenAlarms
    // With one service there is nothing to choose, and the delivery state is unknown in this tab.
    expect(panel('Hook').queryByRole('group', { name: routing.services })).toBeNull()
    panel('Hook').getByText(state.unknown)
    expect(within(choice(legend, names.off)).getByRole('radio')).toHaveProperty('checked', true)
    await user.click(choice(legend, names.on))
    expect(saved.at(-1)?.sendTo).toEqual([{ ...HOOK, screenAlarms: true }])
  })

  it('gets alarms of the chosen services, even with hostile names, or of all if none is', async () => {
    const [a, b] = ['https://a.example', 'https://b.example'] as const
    const label = `</label><b>East\u202e${'x'.repeat(40)}`
    const services = [a, b].map((baseUrl) => aService({ baseUrl, label }))
    const gone = 'https://gone.example/\u200b'
    const given = { ...HOOK, routing: { services: [gone], tags: ['eu'] } }
    const { user, saved } = setUp(sending(given), { server: { ...NO_SERVER, services } })
    const boxes = () => panel('Hook').getByRole('group', { name: channelTexts.receivers.routing.services })
    const names = () =>
      within(boxes())
        .getAllByRole('checkbox')
        .map((box) => box.closest('label')?.textContent)
    const shown = label.replace('\u202e', '⟨U+202E⟩')
    expect(names()).toEqual([
      `${shown} (${a})`,
      `${shown} (${b})`,
      'https://gone.example/⟨U+200B⟩ (no longer configured)',
    ])
    const click = async (name: RegExp) => user.click(within(boxes()).getByRole('checkbox', { name }))
    await click(/b\.example/)
    expect(saved.at(-1)?.sendTo[0]?.routing).toEqual({ services: [gone, b], tags: ['eu'] })
    await click(/gone\.example/)
    expect(names()).toHaveLength(2)
    const { notRepeat, repeat } = channelTexts.receivers.routing
    const minutes = panel('Hook').getByRole('textbox', { name: repeat })
    await user.type(minutes, '0')
    panel('Hook').getByText(notRepeat)
    expect(saved.at(-1)?.sendTo[0]?.routing).toEqual({ services: [b], tags: ['eu'] })
    await user.clear(minutes)
    await user.type(minutes, '15')
    expect(saved.at(-1)?.sendTo[0]?.routing).toEqual({ services: [b], tags: ['eu'], repeatMs: 900_000 })
    await click(/b\.example/)
    expect(saved.at(-1)?.sendTo[0]?.routing).toEqual({ tags: ['eu'], repeatMs: 900_000 })
  })

  it('limited to a removed service gets all alarms again when the user unchecks it', async () => {
    const given = { ...HOOK, routing: { services: ['https://gone.example'] } }
    const { user, saved } = setUp(sending(given), { server: { ...NO_SERVER, services: [aService()] } })
    await user.click(panel('Hook').getByRole('checkbox', { name: /gone\.example/ }))
    expect(saved.at(-1)?.sendTo).toEqual([{ ...HOOK, routing: {} }])
  })

  it('of Alertmanager shares acknowledgements if turned on, and explains what that does', async () => {
    const { user, saved } = setUp(sending(PAGER, HOOK))
    await user.click(choice('Acknowledgements', channelTexts.receivers.silences.names.on))
    expect(saved.at(-1)?.sendTo).toEqual([{ ...PAGER, silences: true }, HOOK])
    screen.getByText(channelTexts.receivers.silences.hint, { exact: false })
  })

  it.each([
    [{ ok: true, value: { status: 200, answer: 'fine' } }, 'Delivered (HTTP 200): fine.'],
    [
      { ok: false, error: { kind: 'status', status: 403, answer: '' } },
      'Not delivered: the receiver answered with HTTP 403.',
    ],
    [
      { ok: false, error: { kind: 'relay', failure: 'cut-off' } },
      'Not delivered: the receiver sent an incomplete answer.',
    ],
  ] as const)('shows its answer to a test: %j', async (answer, words) => {
    const testReceiver = vi.fn<() => Promise<typeof answer>>(async () => answer)
    const { user } = setUp(sending(HOOK), { engine: { testReceiver } })
    await user.click(screen.getByRole('button', { name: 'Send a test to Hook' }))
    await screen.findByText(words)
    expect(testReceiver).toHaveBeenCalledWith('hook')
  })

  it('shows its delivery status, and retries on a click', async () => {
    const tryReceiver = vi.fn<() => Promise<void>>(async () => undefined)
    const failing: DeliveryState = {
      ...DELIVERED,
      waiting: 2,
      failingSinceWallMs: WALL_MS - 60_000,
      failure: { kind: 'relay', failure: 'dns' },
      nextTryWallMs: WALL_MS + 5_000,
      lost: 3,
    }
    const { user } = setUp({ ...sending(HOOK), deliveries: [failing] }, { engine: { tryReceiver } })
    panel('Hook').getByText(
      /^nothing sent yet; 2 queued; failing since .*: has an unknown host name; next try .*; 3 not sent: too many at once$/,
    )
    await user.click(screen.getByRole('button', { name: 'Try now' }))
    expect(tryReceiver).toHaveBeenCalledWith('hook')
  })
})
