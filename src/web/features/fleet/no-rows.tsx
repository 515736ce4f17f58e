import { toVisibleText } from '#base/visible-text.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { fleetToolTexts as words } from '#texts/en-fleet-tools.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import type { FleetView } from './view.ts'

type NoRowsProps = { readonly view: FleetView; readonly onShowAll: () => void }

/** Why there is no row, and a way to have some. */
export function NoRows({ view: { condition, tag, q }, onShowAll }: NoRowsProps) {
  const isKnown = useFleet(({ nodes }) => nodes.size > 0)
  const isExpected = useConfiguration().effective.nodes.length > 0
  // The engine is about to say what it knows of them.
  if (isExpected && !isKnown) return null
  if (condition === 'all' && tag === undefined && q === '')
    return (
      <Empty
        title={words.empty.title}
        actions={<LinkButton href={hrefOf(`${SETTINGS_PATH}/nodes`)}>{fleetTexts.addNodes}</LinkButton>}
      >
        {words.empty.text}
      </Empty>
    )
  return (
    <Empty
      title={
        q !== ''
          ? words.noneFound
          : tag === undefined && condition !== 'all'
            ? words.noMatch[condition]
            : words.noneTagged(toVisibleText(tag ?? ''))
      }
      actions={<Button onClick={onShowAll}>{words.showAll}</Button>}
    />
  )
}
