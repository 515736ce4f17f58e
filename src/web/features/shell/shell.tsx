import { lazy, Suspense, type ReactNode } from 'react'
import { useLocation, useRoute } from 'wouter'
import { nodeKeyFromText } from '#monitor/live.ts'
import { JudgementProvider, useJudgement } from '#react/judgement.tsx'
import { useKeys } from '#react/use-fleet.ts'
import { hrefOf, NODE_PATTERN, NODES_PATH, SETTINGS_PATH } from '#react/routes.ts'
import { shellTexts as words } from '#texts/en-shell.ts'
import { AppShell } from '#ui/app-shell.tsx'
import { Brand } from '#ui/brand.tsx'
import { TopBar } from '#ui/top-bar.tsx'
import { Messages } from './messages.tsx'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { Status } from './status.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { tilesOf } from './tiles.ts'
import { TabState } from './tab-state.tsx'

const LockNow = lazy(async () => ({ default: (await import('./lock-messages.tsx')).LockNow }))
const LockWarning = lazy(async () => ({ default: (await import('./lock-messages.tsx')).LockWarning }))

/** What stands around every page: bar, messages, status line, and the tab's own title and icon. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  const [isNode, params] = useRoute(NODE_PATTERN)
  const node = isNode ? nodeKeyFromText(params.key) : undefined
  return (
    <JudgementProvider>
      <TabState node={node} path={location} />
      <AppShell skipLabel={words.skip} top={<Top path={location} />} status={<Status node={node} />}>
        <PartBoundary>
          <IfVault>
            <LockWarning />
          </IfVault>
          <Messages node={node} />
        </PartBoundary>
        {/* A page that failed must not keep the next one from being drawn. The settings are one page. */}
        <PartBoundary key={location.startsWith(SETTINGS_PATH) ? SETTINGS_PATH : location}>
          {children}
        </PartBoundary>
      </AppShell>
    </JudgementProvider>
  )
}

/** Most keys have no lock, so what concerns locks is fetched late. */
function IfVault({ children }: { readonly children: ReactNode }) {
  const { keys } = useKeys()
  return keys.some(({ custody }) => custody === 'vault') ? <Suspense>{children}</Suspense> : null
}

function Top({ path }: { readonly path: string }) {
  const loudness = useJudgement((judgement) => judgement.loudness)
  const link = (to: string, label: string) => ({ href: hrefOf(to), label, current: path.startsWith(to) })
  return (
    <TopBar
      brand={<Brand name={words.brand} href={hrefOf(NODES_PATH)} />}
      navLabel={words.nav}
      links={[link(NODES_PATH, words.nodes), link(SETTINGS_PATH, words.settings)]}
      tilesLabel={words.tiles}
      tiles={tilesOf(loudness)}
      tools={
        <>
          <IfVault>
            <LockNow />
          </IfVault>
          <ThemeToggle />
        </>
      }
    />
  )
}
