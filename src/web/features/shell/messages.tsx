import { lazy, Suspense } from 'react'
import type { NodeKey } from '#monitor/live.ts'
import { useJudgement } from '#react/judgement.tsx'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { useConfiguration, useFleet, useKeys } from '#react/use-fleet.ts'
import { shellTexts as words } from '#texts/en-shell.ts'
import { Banner, BannerList } from '#ui/banner.tsx'
import { LinkButton } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import { causesInView } from './cause-context.ts'

const CauseList = lazy(async () => ({ default: (await import('./cause-list.tsx')).CauseList }))

/** More messages than this push away what they are about. */
const SHOWN_MAX = 5

/** Everything that is wrong and concerns what is on screen, worst first, one message a cause. */
export function Messages({ node }: { readonly node: NodeKey | undefined }) {
  const fleet = useFleet((snapshot) => snapshot)
  const causes = useJudgement((judgement) => judgement.causes)
  const { problem } = useConfiguration()
  const { failed } = useKeys()
  const inView = causesInView(causes, fleet, node)
  if (inView.length === 0 && problem === undefined && !failed) return null
  const more = inView.length - SHOWN_MAX
  return (
    <Page>
      <BannerList>
        {failed && (
          <Banner level="critical" title={words.signerFailed.title}>
            {words.signerFailed.text}
          </Banner>
        )}
        {problem !== undefined && (
          <Banner
            level="warning"
            title={words.problem[problem].title}
            actions={
              <LinkButton size="small" href={hrefOf(SETTINGS_PATH)}>
                {words.openSettings}
              </LinkButton>
            }
          >
            {words.problem[problem].text}
          </Banner>
        )}
        <Suspense>
          <CauseList causes={inView.slice(0, SHOWN_MAX)} fleet={fleet} node={node} />
        </Suspense>
        {more > 0 && <span className="t12 ink3">{words.moreMessages(more)}</span>}
      </BannerList>
    </Page>
  )
}
