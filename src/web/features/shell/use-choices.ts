import { folded } from '#base/read-text.ts'
import { useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { stageAt } from '#fleet/assessment.ts'
import type { AssessedNode } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { shortNodeId } from '#record/node-id.ts'
import type { Effective } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { comparePath } from '#parts/compare-address.ts'
import { reportPath } from '#parts/report-address.ts'
import { glyphOf } from '#parts/severity.ts'
import { useAlarmActs } from '#parts/alarm-acts.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useLocation } from '#react/location.ts'
import { openOverlay } from '#react/overlay.ts'
import { pageCommands } from '#react/page-commands.ts'
import { KEY_PATH, NEW_SERVICE_PATH, nodeOfPath, nodePath, PATHS, tagPath } from '#react/routes.ts'
import { useKeysOn } from '#react/single-keys.ts'
import { useAlarms, useConfiguration, useKeys } from '#react/use-fleet.ts'
import { useLockNow } from '#react/use-signer-call.ts'
import { levelWords } from '#texts/en-checks.ts'
import { paletteTexts as words } from '#texts/en-keyboard.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { nodeName, serviceLabel } from '#texts/names.ts'
import type { Command } from '#ui/command-palette.tsx'
import type { Choice, ChoiceGroup } from './palette-search.ts'
import { joined } from '#texts/format.ts'

export type PaletteChoice = Choice &
  Command &
  (
    | { readonly path: string }
    /** Only actions that can be undone; a destructive action has a page that asks for confirmation. */
    | { readonly run: () => void }
  )

type Action = keyof typeof words.actions
type Page = keyof typeof words.pages

const SYNONYMS: Readonly<Partial<Record<string, string>>> = words.synonyms

/** All palette entries as of opening, so that the list does not change while the operator chooses. */
export function useChoices(): readonly PaletteChoice[] {
  const { fleet, nowMs } = useDashboard()
  const [path] = useLocation()
  const actions = useActions()
  const { views } = useConfiguration().effective
  const [choices] = useState((): readonly PaletteChoice[] => {
    const snapshot = fleet.get()
    const watched = nodeOfPath(path)
    const node = watched === undefined ? undefined : snapshot.nodes.get(watched)
    return [
      ...pageCommands().map((command) => ({
        ...choice(
          'selection',
          command.id,
          command.label,
          `${words.groups.selection} ${command.detail ?? ''}`,
        ),
        ...command,
      })),
      ...nodeChoices(snapshot, nowMs()),
      ...(node === undefined ? [] : pagesOf(node)),
      ...viewChoices(views),
      ...pageChoices(),
      ...actions(),
      ...tagChoices(snapshot),
    ]
  })
  return choices
}

function nodeChoices({ nodes, services }: FleetSnapshot, nowMs: number): readonly PaletteChoice[] {
  const several = services.size > 1
  return Array.from(nodes.values(), (node) => {
    const service = services.get(node.serviceId)?.service
    const called = service === undefined ? '' : serviceLabel(service)
    const severity = stageAt(node.assessment, nowMs).severity
    const label = nodeName(node)
    const id = node.nodeId === undefined || node.name === undefined ? '' : shortNodeId(node.nodeId)
    return {
      id: `node:${node.key}`,
      group: 'nodes',
      title: folded(label),
      words: folded(
        [
          node.nodeId ?? '',
          called,
          service?.baseUrl ?? '',
          ...node.tags.map((tag) => `tag:${tag}`),
          levelWords[severity],
        ].join(' '),
      ),
      label,
      detail: joined(' · ', [id, several && called]),
      mark: { glyph: glyphOf(severity), label: levelWords[severity] },
      path: nodePath(node.key),
    }
  })
}

function pagesOf(node: AssessedNode): readonly PaletteChoice[] {
  const name = nodeName(node)
  const page = (id: string, label: string, path: string, more?: string) => ({
    ...choice('pages', `page:${id}`, label, more),
    path,
  })
  return [
    page('wall-of-node', words.wallOf(name), `${PATHS.wall}/${node.key}`),
    page('compare-node', words.compareOf(name), comparePath([node.key]), SYNONYMS['compare']),
    page('report-node', words.reportOf(name), reportPath([node.key]), SYNONYMS['report']),
  ]
}

const viewChoices = (views: Effective['views']): readonly PaletteChoice[] =>
  views.map(({ name, query }) => ({
    ...choice('views', `view:${name}`, words.view(toVisibleText(name)), folded(name)),
    path: query === '' ? PATHS.nodes : `${PATHS.nodes}?${query}`,
  }))

function tagChoices({ nodes }: FleetSnapshot): readonly PaletteChoice[] {
  const tags = new Set(Array.from(nodes.values()).flatMap((node) => node.tags))
  return Array.from(tags)
    .toSorted()
    .map((tag) => ({
      ...choice('tags', `tag:${tag}`, words.tagged(tag), `tag:${tag} #${tag}`),
      path: tagPath(tag),
    }))
}

const choice = (group: ChoiceGroup, id: string, label: string, more = '') => ({
  id,
  group,
  title: folded(label),
  words: folded(more),
  label,
})

const PAGES: Readonly<Record<Page, string>> = {
  nodes: PATHS.nodes,
  critical: `${PATHS.nodes}?condition=critical`,
  warning: `${PATHS.nodes}?condition=warning`,
  'no-data': `${PATHS.nodes}?condition=no-data`,
  alarms: PATHS.alarms,
  shelved: `${PATHS.alarms}?list=shelved`,
  cleared: `${PATHS.alarms}?list=cleared`,
  rules: PATHS.rules,
  journal: PATHS.journal,
  compare: PATHS.compare,
  report: PATHS.report,
  wall: PATHS.wall,
  about: PATHS.about,
}

const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] => {
  const keys: K[] = []
  for (const key in record) keys.push(key)
  return keys
}

const pageChoices = (): readonly PaletteChoice[] => [
  ...keysOf(PAGES).map((page) => ({
    ...choice('pages', `page:${page}`, words.pages[page], SYNONYMS[page]),
    path: PAGES[page],
  })),
  ...keysOf(settingsTexts.sections).map((section) => ({
    ...choice(
      'settings',
      `settings:${section}`,
      settingsTexts.sections[section],
      `${shellTexts.settings} ${SYNONYMS[section] ?? ''}`,
    ),
    path: `${PATHS.settings}/${section}`,
  })),
]

/** The actions available now. None is destructive, because the palette does not ask for confirmation. */
function useActions(): () => readonly PaletteChoice[] {
  const { saveSettings, configuration } = useDashboard()
  const { theme, timeZone } = useConfiguration().settings.display
  const { keys } = useKeys()
  const isMuted = useAlarms((view) => view && view.mutedUntilWallMs !== undefined)
  const waits = useAlarms((view) => view !== undefined && view.counts.unacknowledged > 0)
  const [keysOn, setKeysOn] = useKeysOn()
  const acts = useAlarmActs()
  const lock = useLockNow()
  const display = (change: Partial<Settings['display']>) => (): void => {
    const { settings } = configuration.get()
    saveSettings({ ...settings, display: { ...settings.display, ...change } })
  }
  /** A path, or what to do; anything else: not offered now. */
  const targets: Readonly<Record<Action, string | (() => void) | false | undefined>> = {
    addNodes: `${PATHS.settings}/nodes`,
    addService: NEW_SERVICE_PATH,
    acknowledge: waits && PATHS.alarms,
    unlock: keys.some(({ locked }) => locked === true) && KEY_PATH,
    exportData: `${PATHS.settings}/document`,
    exportJournal: PATHS.journal,
    mute: isMuted === false && acts.mute,
    unmute: isMuted === true && acts.unmute,
    lock,
    dark: theme !== 'dark' && display({ theme: 'dark' }),
    light: theme !== 'light' && display({ theme: 'light' }),
    system: theme !== 'system' && display({ theme: 'system' }),
    utc: timeZone !== 'utc' && display({ timeZone: 'utc' }),
    local: timeZone !== 'local' && display({ timeZone: 'local' }),
    shortcuts: () => openOverlay('shortcuts'),
    singleKeysOff: keysOn && (() => setKeysOn(false)),
    singleKeysOn: !keysOn && (() => setKeysOn(true)),
  }
  return () =>
    keysOf(words.actions).flatMap((action): readonly PaletteChoice[] => {
      const target = targets[action]
      const offered = choice('actions', `action:${action}`, words.actions[action], SYNONYMS[action])
      if (typeof target === 'string') return [{ ...offered, path: target }]
      return typeof target === 'function' ? [{ ...offered, run: target }] : []
    })
}
