import { weakenedFor } from '#alarms/built-in-settings.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { builtInTexts as words, changeText } from '#texts/en-built-in.ts'
import { LinkButton } from '#ui/button.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { Panel } from '#ui/panel.tsx'
import { SentenceRow } from '#ui/sentence.tsx'

/** Rules that could be critical and are not for this node. Nothing if there are none. */
export function WeakenedRules({ node }: { readonly node: NodeLive }) {
  const { metrics } = useDashboard()
  const { builtIn } = useConfiguration().effective.alarms
  const weakened = weakenedFor(builtIn, node, metrics)
  if (weakened.length === 0) return null
  return (
    <Panel
      title={words.onNode}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(PATHS.rules)}>
          {words.show}
        </LinkButton>
      }
    >
      {weakened.map(({ rule, settings }) => (
        <SentenceRow
          key={rule}
          glyph={<Glyph kind={settings.off ? 'paused' : (settings.severity ?? 'ok')} />}
          text={`${alarmName(rule, metrics)}: ${changeText(settings)}`}
        />
      ))}
    </Panel>
  )
}
