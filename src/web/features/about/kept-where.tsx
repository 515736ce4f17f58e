import { keptCopies, undoSteps } from '#react/platform.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useConfiguration, useKeys, useStore } from '#react/use-fleet.ts'
import { useTokens } from '#react/use-tokens.ts'
import type { KeyInfo } from '#signer/api.ts'
import { aboutTexts } from '#texts/en-about.ts'
import { historyTexts } from '#texts/en-history.ts'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'

const words = aboutTexts.kept

export function KeptWhere() {
  const { settings } = useConfiguration()
  const { keys } = useKeys()
  const tokens = useTokens()
  const seen = useSeen()
  const inMemory = tokens?.filter(({ place }) => place === 'session').length ?? 0
  const onDevice = (tokens?.length ?? 0) - inMemory
  const items = [
    property(words.settings, words.settingsText(settings.services.length, settings.nodes.length)),
    property(words.undo, words.undoText(undoSteps().length, keptCopies().length)),
    property(words.keys, keysText(keys)),
    tokens &&
      property(words.tokens, tokens.length === 0 ? words.noTokens : words.tokensText(inMemory, onDevice)),
    seen !== undefined && property(words.seen, seen),
    property(words.server, words.serverText),
    property(words.nowhere, words.nowhereText),
  ]
  return (
    <Panel title={words.title}>
      <Properties items={items} />
      <p>
        <a className="link" href={hrefOf(`${PATHS.settings}/storage`)}>
          {words.change}
        </a>
      </p>
    </Panel>
  )
}

function useSeen(): string | undefined {
  const status = useStore(useDashboard().history, (now) => now)
  if (status === undefined) return undefined
  const { state, failure, bytes, budgetBytes } = status
  return [
    words.seenText(historyTexts.states[state], historyTexts.used(bytes, budgetBytes)),
    ...(failure === undefined ? [] : [historyTexts.why[failure]]),
  ].join(' ')
}

const CUSTODIES = ['device', 'vault', 'session'] as const

function keysText(keys: readonly KeyInfo[]): string {
  const texts = CUSTODIES.flatMap((custody) => {
    const count = keys.filter((key) => key.custody === custody).length
    return count === 0 ? [] : [words.custody[custody](count)]
  })
  return texts.length === 0 ? words.noKeys : texts.join(' ')
}
