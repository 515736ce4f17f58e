import type { Cause } from '#evaluate/causes.ts'
import type { FleetSnapshot, NodeKey } from '#fleet/live.ts'
import type { Configuration } from '#react/dashboard.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { screenProblemTexts as words } from '#texts/en-screen-problems.ts'
import { Banner, BannerList } from '#ui/banner.tsx'
import { LinkButton } from '#ui/button.tsx'
import { CauseBanner } from './cause-banner.tsx'

/** More messages than this push away what they are about. */
const SHOWN_MAX = 5

type MessageListProps = {
  readonly causes: readonly Cause[]
  readonly fleet: FleetSnapshot
  readonly node: NodeKey | undefined
  readonly signerFailed: boolean
  readonly problem: Configuration['problem']
}

/** One message a cause. With its words, larger than the rest of the bar: fetched after the first status. */
export function MessageList({ causes, fleet, node, signerFailed, problem }: MessageListProps) {
  const more = causes.length - SHOWN_MAX
  return (
    <BannerList>
      {signerFailed && (
        <Banner level="critical" title={words.signerFailed.title}>
          {words.signerFailed.text}
        </Banner>
      )}
      {problem !== undefined && (
        <Banner
          level="warning"
          title={words.problem[problem].title}
          actions={
            <LinkButton size="small" href={hrefOf(`${SETTINGS_PATH}/document`)}>
              {words.openSettings}
            </LinkButton>
          }
        >
          {words.problem[problem].text}
        </Banner>
      )}
      {causes.slice(0, SHOWN_MAX).map((cause) => (
        <CauseBanner key={cause.id} cause={cause} fleet={fleet} node={node} />
      ))}
      {more > 0 && <span className="t12 ink3">{words.moreMessages(more)}</span>}
    </BannerList>
  )
}
