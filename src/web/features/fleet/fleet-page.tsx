import { Plus } from 'lucide-react'
import { hrefOf, NEW_SERVICE_PATH, PATHS } from '#react/routes.ts'
import { useFleet } from '#react/use-fleet.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { LinkButton } from '#ui/button.tsx'
import { PageHead } from '#ui/page.tsx'
import { classNames } from '#ui/class-names.ts'
import { PHONE, useMedia } from '#ui/use-media.ts'
import { NodesTable } from './nodes-table.tsx'
import { late } from '#ui/late.tsx'

const FleetOverview = late(
  async () => (await import('./fleet-rest.ts')).FleetOverview,
  ({ isStrip }) => <div className={classNames('fleet-overview', isStrip === true && 'strip')} />,
)

/** With fewer nodes, the table itself is an overview. */
const OVERVIEW_FROM = 8
/** Up to this many cells fit into a single row. */
const STRIP_MAX = 60

export function FleetPage() {
  const counts = useFleet((fleet) => fleet.nodes.size)
  const services = useFleet((fleet) => fleet.services.size)
  const isPhone = useMedia(PHONE)
  const overview = counts >= OVERVIEW_FROM && <FleetOverview isStrip={counts <= STRIP_MAX} />
  return (
    <div className="page">
      <PageHead title={words.title} actions={!isPhone && <Ways />}>
        {counts > 0 && <span className="ink-3">{words.summary(counts, services)}</span>}
      </PageHead>
      {!isPhone && overview}
      <NodesTable />
      {isPhone && (
        <>
          {overview}
          <div className="flow">
            <Ways />
          </div>
        </>
      )}
    </div>
  )
}

const Ways = () => (
  <>
    <LinkButton href={hrefOf(PATHS.wall)} look="quiet">
      {words.wall}
    </LinkButton>
    <LinkButton href={hrefOf(NEW_SERVICE_PATH)} look="quiet">
      {words.addService}
    </LinkButton>
    <LinkButton href={hrefOf(`${PATHS.settings}/nodes`)} look="primary" icon={Plus}>
      {words.addNodes}
    </LinkButton>
  </>
)
