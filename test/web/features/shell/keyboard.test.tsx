import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest'
import { Keyboard } from '#features/shell/keyboard.tsx'
import { SHORTCUTS } from '#parts/key-map.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import type { SignerAdmin } from '#signer/api.ts'
import { openOverlay } from '#react/overlay.ts'
import { nodePath, PATHS, tagPath } from '#react/routes.ts'
import { turnSingleKeys } from '#react/single-keys.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { anAlarmsView } from '#test/support/alarm-fixture.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { paletteTexts as words, shortcutTexts } from '#texts/en-keyboard.ts'
import { settingsTexts } from '#texts/en-settings.ts'

const named = (name: string, nodeId: string, tags: readonly string[] = []) => aNode({ nodeId, name, tags })
const VELA = named('vela-007', '0x7f3a02e1', ['eu'])
const FLEET = aSnapshot([VELA, named('tucana-020', '0x5ad06389')])

function show(options: FakeOptions = {}, path: string = PATHS.nodes) {
  const dashboard = fakeDashboard({ snapshot: FLEET, ...options })
  const { addresses } = renderWith(
    dashboard,
    <>
      <main id="main" tabIndex={-1}>
        <input aria-label="a field" aria-keyshortcuts="/" />
        <button type="button">a button</button>
      </main>
      <Keyboard />
    </>,
    path,
  )
  at = () => addresses().at(-1)
  return dashboard
}

/** The last URL navigated to. */
let at = (): string | undefined => undefined
const box = () => screen.getByRole('combobox', { name: words.title })
const options = () => screen.queryAllByRole('option').map((option) => option.textContent)
const chosen = () => screen.getByRole('option', { selected: true }).textContent
const open = async (query = '') => {
  await userEvent.keyboard('{Control>}k{/Control}')
  act(() => box().focus())
  if (query !== '') await fillIn(box(), query)
}
const choose = async (query?: string) => {
  await open(query)
  await userEvent.keyboard('{Enter}')
}

/** Fakes only these actions, so that any other call throws. */
function showWithActs() {
  const alarmAct = vi.fn<EngineCalls['alarmAct']>(async () => true)
  const saveSettings = vi.fn<(settings: Settings) => boolean>(() => true)
  const lock = vi.fn<SignerAdmin['lock']>(async () => undefined)
  const dashboard = show({
    alarms: anAlarmsView([]),
    engine: { alarmAct },
    saveSettings,
    signer: { lock },
    keys: [{ ...A_KEY, custody: 'vault', locked: false }],
  })
  return { dashboard, alarmAct, saveSettings, lock }
}

beforeEach(() => {
  giveLayout()
  installDialog()
  localStorage.clear()
  turnSingleKeys(true)
})
afterEach(() => {
  act(() => openOverlay(undefined))
})

it('a held key counts once', async () => {
  show()
  await userEvent.keyboard('{g>2/}a')
  expect(at()).toBe(PATHS.alarms)
})

describe('the command palette', () => {
  it.each<[string, string, string]>([
    ['a node by its name', 'vela', nodePath(VELA.key)],
    ['a node by part of its ID', '5AD0', nodePath(named('', '0x5ad06389').key)],
    ['a node by its tag', 'tag:eu vela', nodePath(VELA.key)],
    ['a tag', 'tagged eu', tagPath('eu')],
    ['a page', 'journal', PATHS.journal],
    ['the node comparison', 'side by side', PATHS.compare],
    ['a settings page', settingsTexts.sections.notifications, `${PATHS.settings}/notifications`],
    ['the page for adding nodes', words.actions.addNodes, `${PATHS.settings}/nodes`],
    ['the page for exporting history', 'csv samples', `${PATHS.settings}/document`],
  ])('goes to %s', async (_what, query, path) => {
    show()
    await choose(query)
    expect(at()).toBe(path)
    expect(screen.queryByRole('combobox')).toBeNull()
    // Focus moves to the page so that keyboard users can continue there.
    expect(document.activeElement?.id).toBe('main')
  })

  it('keeps focus in its combobox while arrow and page keys move through the list and wrap', async () => {
    show()
    await open('vela')
    expect(box().getAttribute('aria-expanded')).toBe('true')
    const list = document.getElementById(box().getAttribute('aria-controls') ?? '')
    expect(list).toBe(screen.getByRole('listbox', { name: words.results }))
    const first = chosen()
    for (const [keys, isFirst] of [
      ['{ArrowUp}', options().length === 1],
      ['{ArrowDown}', true],
      ['{PageDown}', options().length === 1],
      ['{PageUp}', true],
    ] as const) {
      await userEvent.keyboard(keys)
      expect(chosen() === first).toBe(isFirst)
      expect(document.activeElement).toBe(box())
      expect(screen.getByRole('option', { selected: true }).id).toBe(
        box().getAttribute('aria-activedescendant'),
      )
    }
    await userEvent.clear(box())
    await userEvent.keyboard('{ArrowDown}{ArrowDown}s')
    expect(chosen()).toBe(options()[0])
    for (const group of within(screen.getByRole('listbox')).getAllByRole('group'))
      expect(Object.values(words.groups)).toContain(
        document.getElementById(group.getAttribute('aria-labelledby') ?? '')?.textContent,
      )
  })

  it('announces the number of results, or says that there are none', async () => {
    show()
    await open('vela')
    expect(within(screen.getByRole('dialog')).getByRole('status').textContent).toBe(
      words.found(options().length),
    )
    await fillIn(box(), ' nowhere')
    expect(box().getAttribute('aria-expanded')).toBe('false')
    expect(options()).toEqual([])
    screen.getByText(words.none)
    await userEvent.keyboard('{Enter}')
    expect(at()).toBe(PATHS.nodes)
  })

  it('lists recent choices, newest first, and stores at most eight without the typed query', async () => {
    const nodes = Array.from({ length: 12 }, (_, index) => named(`node-${index}`, `0x${index}aa`))
    show({ snapshot: aSnapshot(nodes) })
    for (const { name } of nodes) await choose(name)
    const kept = localStorage.getItem('immune-palette-recent') ?? ''
    expect(JSON.parse(kept)).toHaveLength(8)
    expect(kept).not.toContain('node-11')
    await open()
    const [first, second] = options()
    expect([first, second].map((text) => text?.slice(0, 7))).toEqual(['node-11', 'node-10'])
  })

  it('ignores stored recent choices that are invalid or no longer exist', async () => {
    localStorage.setItem('immune-palette-recent', JSON.stringify([7, 'node:gone', 'page:journal', null]))
    show()
    await open()
    expect(options()[0]).toBe(words.pages.journal)
  })

  it('opens again if its shortcut is pressed before the browser reports that it closed', async () => {
    show()
    await open('vela')
    vi.spyOn(HTMLDialogElement.prototype, 'close').mockImplementationOnce(function close(
      this: HTMLDialogElement,
    ) {
      this.removeAttribute('open')
    })
    const dialog = box().closest('dialog')
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(dialog?.open).toBe(false)
    await userEvent.keyboard('{Control>}k{/Control}')
    act(() => void dialog?.dispatchEvent(new Event('close')))
    expect(box()).toHaveProperty('value', '')
    expect(box().closest('dialog')?.open).toBe(true)
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(screen.queryByRole('combobox')).toBeNull()
  })

  it('closes on its own shortcut and does not open over another dialog', async () => {
    show()
    await open()
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(screen.queryByRole('combobox')).toBeNull()
    await userEvent.keyboard('?')
    screen.getByRole('dialog', { name: shortcutTexts.title })
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(screen.queryByRole('combobox')).toBeNull()
  })

  it('mutes, unmutes, changes the theme, locks, and opens the shortcuts', async () => {
    const { dashboard, alarmAct, saveSettings, lock } = showWithActs()
    await choose(words.actions.mute)
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'mute', untilWallMs: WALL_MS + 900_000 })
    act(() => dashboard.alarms.publish(anAlarmsView([], { mutedUntilWallMs: WALL_MS + 900_000 })))
    await open(words.actions.unmute)
    expect(options()).not.toContain(words.actions.mute)
    await userEvent.keyboard('{Enter}')
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unmute' })
    await choose(words.actions.dark)
    expect(saveSettings).toHaveBeenLastCalledWith({
      ...EMPTY_SETTINGS,
      display: { ...EMPTY_SETTINGS.display, theme: 'dark' },
    })
    await userEvent.keyboard('t')
    expect(saveSettings).toHaveBeenCalledTimes(2)
    await choose(words.actions.lock)
    expect(lock).toHaveBeenCalledOnce()
    await choose(words.actions.shortcuts)
    screen.getByRole('dialog', { name: shortcutTexts.title })
  })

  it('runs only reversible actions: no choice deletes or sends anything', async () => {
    const failed = vi.fn<(event: Event) => void>()
    window.addEventListener('error', failed)
    const { alarmAct } = showWithActs()
    await open()
    const offered = options().length
    expect(offered).toBeGreaterThan(20)
    for (let place = 0; place < offered; place++) {
      localStorage.clear()
      await userEvent.click(screen.getAllByRole('option')[place] ?? document.body)
      act(() => openOverlay(undefined))
      await open()
    }
    window.removeEventListener('error', failed)
    expect(failed).not.toHaveBeenCalled()
    expect(alarmAct).toHaveBeenCalledExactlyOnceWith({ act: 'mute', untilWallMs: WALL_MS + 900_000 })
  })

  it('shows node names as plain text, with hidden characters as code points', async () => {
    show({ snapshot: aSnapshot([named('<b>\u202eevil</b>', '0x1')]) })
    await open('evil')
    expect(options()[0]).toContain('U+202E')
    expect(screen.getByRole('listbox').querySelector('b')).toBeNull()
  })
})

describe('the keyboard shortcuts', () => {
  it('their list opens again if ? is pressed before the browser reports that Escape closed it', async () => {
    show()
    await userEvent.keyboard('?')
    const dialog = screen.getByRole<HTMLDialogElement>('dialog', { name: shortcutTexts.title })
    vi.spyOn(dialog, 'close').mockImplementation(() => dialog.removeAttribute('open'))
    // As a file input does whose chooser was dismissed.
    act(() => void dialog.firstChild?.dispatchEvent(new Event('cancel', { bubbles: true })))
    expect(dialog.open).toBe(true)
    act(() => void dialog.dispatchEvent(new Event('cancel')))
    expect(screen.queryByRole('dialog')).toBeNull()
    await userEvent.keyboard('?')
    act(() => void dialog.dispatchEvent(new Event('close')))
    screen.getByRole('dialog', { name: shortcutTexts.title })
  })

  it.each(['page', 'go', 'alarms'] as const)('of “%s” are all listed with their keys', async (scope) => {
    show()
    await userEvent.keyboard('?')
    const part = screen.getByRole('region', { name: shortcutTexts.scopes[scope] })
    for (const [name, keys] of Object.entries(SHORTCUTS[scope])) {
      const text: unknown = Reflect.get(shortcutTexts[scope], name)
      const line = within(part).getByText(String(text)).parentElement
      for (const key of keys.flatMap((each: string) => each.split(' ')))
        expect(line?.textContent?.toLowerCase()).toContain(key === 'mod' ? 'ctrl' : key)
    }
  })

  it.each([
    ['g n', PATHS.nodes],
    ['g a', PATHS.alarms],
    ['g j', PATHS.journal],
    ['g s', PATHS.settings],
    ['g w', PATHS.wall],
    ['g r', PATHS.report],
  ])('include %s, which opens %s', async (keys, path) => {
    show({}, '/about')
    await userEvent.keyboard(keys.replace(' ', ''))
    expect(at()).toBe(path)
  })

  /** Key presses on some layout: the typed character, the key position, and Shift or Ctrl. */
  type Presses = readonly (readonly [string, string, ('shift' | 'ctrl')?])[]
  const gn = (g: string, n: string, codeOfG = 'KeyG', codeOfN = 'KeyN'): Presses => [
    [g, codeOfG],
    [n, codeOfN],
  ]
  it.each<[string, Presses, string | undefined]>([
    ['g n on a Russian layout', gn('п', 'т'), 'nodes'],
    ['g n on a Russian layout with caps lock', gn('П', 'Т'), 'nodes'],
    ['g n on a Greek layout', gn('γ', 'ν'), 'nodes'],
    ['g n on a Thai layout, where N types a combining mark', gn('เ', '\u0e37'), 'nodes'],
    ['g n on a Dvorak layout', gn('g', 'n', 'KeyU', 'KeyL'), 'nodes'],
    ['Ctrl K on a Russian layout', [['л', 'KeyK', 'ctrl']], 'palette'],
    ['Ctrl K on a Hebrew layout', [['ל', 'KeyK', 'ctrl']], 'palette'],
    ['Ctrl K on a Dvorak layout', [['k', 'KeyV', 'ctrl']], 'palette'],
    ['? at its US position on a Russian layout', [[',', 'Slash', 'shift']], 'help'],
    ['? at its US position on an Arabic layout', [['؟', 'Slash', 'shift']], 'help'],
    ['? at its own position on a German layout', [['?', 'Minus', 'shift']], 'help'],
    ['? at its own position on a Russian layout', [['?', 'Digit7', 'shift']], 'help'],
    ['/ at its US position on a Bulgarian layout', [['б', 'Slash']], 'search'],
    ['/ at its US position on a Russian layout', [['.', 'Slash']], 'search'],
    ['not Ctrl A at the Q position of an AZERTY layout', [['a', 'KeyQ', 'ctrl']], undefined],
    ['not Ctrl T at the K position of a Dvorak layout', [['t', 'KeyK', 'ctrl']], undefined],
    ['not ö at the semicolon position of a German layout', [['ö', 'Semicolon']], undefined],
    ['not - at the / position of a German layout', [['-', 'Slash']], undefined],
    ['not , at the M position of an AZERTY layout', [[',', 'KeyM']], undefined],
  ])('match Latin characters by letter and others by key position: %s', (_, presses, leadsTo) => {
    show({}, '/about')
    for (const [key, code, mod] of presses)
      act(() => {
        const event = { key, code, shiftKey: mod === 'shift', ctrlKey: mod === 'ctrl', bubbles: true }
        document.body.dispatchEvent(new KeyboardEvent('keydown', event))
      })
    const led = [
      at() === PATHS.nodes && 'nodes',
      screen.queryByRole('combobox', { name: words.title }) !== null && 'palette',
      screen.queryByRole('dialog', { name: shortcutTexts.title }) !== null && 'help',
      document.activeElement === screen.queryByRole('textbox', { name: 'a field' }) && 'search',
    ]
    expect(led.filter((one) => one !== false)).toEqual(leadsTo === undefined ? [] : [leadsTo])
  })

  it('ignore a keydown event without a key, such as one from autofill', () => {
    const failed = vi.fn<(event: Event) => void>()
    window.addEventListener('error', failed)
    show()
    act(() => void document.body.dispatchEvent(new Event('keydown', { bubbles: true })))
    window.removeEventListener('error', failed)
    expect(failed).not.toHaveBeenCalled()
  })

  it('ignore the second key of a sequence if it comes too late', async () => {
    show({}, '/about')
    const press = (key: string, timeStamp: number): void => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
      Object.defineProperty(event, 'timeStamp', { value: timeStamp })
      act(() => void document.body.dispatchEvent(event))
    }
    press('g', 1_000)
    press('n', 2_600)
    expect(at()).toBe('/about')
    press('g', 3_000)
    press('n', 4_400)
    expect(at()).toBe(PATHS.nodes)
  })

  it('ignore an unknown second key of a sequence, even if it is a shortcut by itself', async () => {
    show()
    await userEvent.keyboard('g?')
    expect(screen.queryByRole('dialog')).toBeNull()
    await userEvent.keyboard('?')
    screen.getByRole('dialog', { name: shortcutTexts.title })
  })

  it('do nothing while the user types, and / focuses the page’s search field', async () => {
    show({}, '/about')
    await userEvent.keyboard('/')
    expect(document.activeElement).toBe(screen.getByRole('textbox'))
    await userEvent.keyboard('gn?/t')
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('gn?/t')
    expect(at()).toBe('/about')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('do nothing behind an open dialog', async () => {
    show({}, '/about')
    const dialog = document.body.appendChild(document.createElement('dialog'))
    dialog.open = true
    dialog.appendChild(document.createElement('button')).focus()
    await userEvent.keyboard('gn')
    dialog.remove()
    expect(at()).toBe('/about')
  })

  it('can be turned off and on again, and the palette still opens meanwhile', async () => {
    show({}, '/about')
    await userEvent.keyboard('?')
    await userEvent.click(screen.getByRole('radio', { name: shortcutTexts.ways.off }))
    act(() => openOverlay(undefined))
    await userEvent.keyboard('gn?')
    expect(at()).toBe('/about')
    expect(screen.queryByRole('dialog')).toBeNull()
    await choose(words.actions.singleKeysOn)
    await userEvent.keyboard('gn')
    expect(at()).toBe(PATHS.nodes)
  })
})
