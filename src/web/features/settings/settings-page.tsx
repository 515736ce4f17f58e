import { CircleDot, HardDrive, Info, KeyRound, Server, Signature, SunMoon } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Reads } from '#react/reads.tsx'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { settingsTexts as words } from '#texts/en-settings.ts'
import { Page, PageHead } from '#ui/page.tsx'
import { SettingsLayout } from '#ui/settings-layout.tsx'
import { AboutSection } from './about-section.tsx'
import { DisplaySection } from './display-section.tsx'
import { KeySection } from './key-section.tsx'
import { NodesSection } from './nodes-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { headingId, sectionOf, SECTIONS, type Section } from './sections.ts'
import { ServicesSection } from './services-section.tsx'
import { StorageSection } from './storage-section.tsx'

const ICONS: Readonly<Record<Section, ReactNode>> = {
  services: <Server className="i s" aria-hidden />,
  signing: <Signature className="i s" aria-hidden />,
  nodes: <CircleDot className="i s" aria-hidden />,
  key: <KeyRound className="i s" aria-hidden />,
  display: <SunMoon className="i s" aria-hidden />,
  storage: <HardDrive className="i s" aria-hidden />,
  about: <Info className="i s" aria-hidden />,
}

/**
 * All sections stand on one page, so that going from one to another loses no edit. The
 * address names the section: the browser's own anchors are taken by the router.
 */
export function SettingsPage() {
  const [path] = useLocation()
  const current = sectionOf(path)
  const isNamed = path.split('/').length > 2
  useEffect(() => {
    if (!isNamed) return
    const heading = document.getElementById(headingId(current))
    heading?.focus({ preventScroll: true })
    heading?.scrollIntoView()
  }, [current, isNamed])
  return (
    <Page>
      <PageHead title={words.title} />
      <SettingsLayout
        navLabel={words.nav}
        links={SECTIONS.map((section) => ({
          href: hrefOf(`${SETTINGS_PATH}/${section}`),
          label: words.sections[section],
          icon: ICONS[section],
          current: section === current,
        }))}
      >
        <ServicesSection />
        <ProfileSection />
        <NodesSection />
        <Reads>
          <KeySection />
        </Reads>
        <DisplaySection />
        <StorageSection />
        <AboutSection />
      </SettingsLayout>
    </Page>
  )
}
