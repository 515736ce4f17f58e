import { COUNTED, glyphOf } from '#parts/severity.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { hrefOf, PATHS } from '#react/routes.ts'
import { levelWords } from '#texts/en-checks.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { Tiles } from '#ui/app-shell.tsx'

/** Shows node counts until alarms are evaluated. */
export function NodeTiles() {
  const counts = useEvaluation((now) => now.counts)
  return (
    <Tiles
      label={shellTexts.tiles}
      tiles={COUNTED.map((shown) => ({
        kind: glyphOf(shown),
        count: counts[shown],
        label: levelWords[shown],
        href: hrefOf(`${PATHS.nodes}?condition=${shown}`),
        hot: shown === 'critical' || (shown === 'warning' && counts.critical === 0),
      }))}
    />
  )
}
