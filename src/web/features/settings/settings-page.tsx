import {
  BellRing,
  Gauge,
  DatabaseBackup,
  CircleDot,
  HardDrive,
  Info,
  KeyRound,
  Server,
  Signature,
  SunMoon,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, type ComponentType } from 'react'
import { useLocation } from '#react/location.ts'
import { useAct } from '#react/reads.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { profileTexts } from '#texts/en-profiles.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { settingsTexts as words, settingsTexts } from '#texts/en-settings.ts'
import { PageHead } from '#ui/page.tsx'
import type { NavLink } from '#ui/app-shell.tsx'
import { SettingsLayout, SettingsSection } from '#ui/settings-layout.tsx'
import { DisplaySection } from './display-section.tsx'
import { KeySection } from './keys/key-section.tsx'
import { DocumentSection } from './data/document-section.tsx'
import { NodesSection } from './nodes/nodes-section.tsx'
import { RuleSection } from './limits/rule-section.tsx'
import { ProfileSection } from './signing/profile-section.tsx'
import { ServicesSection } from './services/services-section.tsx'
import { StorageSection } from './data/storage-section.tsx'
import { NotificationsSection } from './notifications/notifications-section.tsx'
import { useSignedIn } from '#react/use-signed-in.ts'
import { useDashboard } from '#react/dashboard.ts'
import { Button } from '#ui/button.tsx'

/** Each section is a page; the names appear in the navigation and in the URL. */
const PARTS: Readonly<Record<Section, readonly [LucideIcon, ComponentType, lead?: string]>> = {
  services: [Server, ServicesSection, words.services.lead],
  signing: [Signature, ProfileSection, profileTexts.lead],
  nodes: [CircleDot, NodesSection, words.nodes.lead],
  units: [Gauge, RuleSection, ruleTexts.lead],
  document: [DatabaseBackup, DocumentSection],
  key: [KeyRound, KeySection, words.key.lead],
  notifications: [BellRing, NotificationsSection, channelTexts.lead],
  display: [SunMoon, DisplaySection],
  storage: [HardDrive, StorageSection],
}

type Section = keyof typeof words.sections

const GROUPS = [
  ['connection', ['services', 'signing', 'key']],
  ['watching', ['nodes', 'units', 'notifications']],
  ['screen', ['display']],
  ['copy', ['document', 'storage']],
] as const

const SECTIONS = GROUPS.flatMap(([, sections]): readonly Section[] => sections)

const iconOf = (Icon: LucideIcon) => <Icon className="icon small" aria-hidden />

const ABOUT: NavLink = {
  href: hrefOf(PATHS.about),
  label: words.about,
  icon: iconOf(Info),
  current: false,
}

/** The section named in the URL. Unsaved edits of other sections are preserved by `createDrafts`. */
export function SettingsPage() {
  const [path, navigate] = useLocation()
  const [, , name = ''] = path.split('/')
  const named = SECTIONS.find((section) => section === name.toLowerCase())
  const current = named ?? 'services'
  const isNamed = path.split('/').length > 2
  const headingId = `settings-${current}`
  useEffect(() => {
    if (isNamed) document.getElementById(headingId)?.focus({ preventScroll: true })
  }, [headingId, isNamed])
  const [, Part, lead] = PARTS[current]
  return (
    <div className="page">
      <PageHead title={words.title} actions={<SignedInAs />} />
      <SettingsLayout
        navLabel={words.nav}
        groups={GROUPS.map(([group, sections]) => ({
          label: words.groups[group],
          links: [
            ...sections.map((section) => ({
              href: hrefOf(`${PATHS.settings}/${section}`),
              label: words.sections[section],
              icon: iconOf(PARTS[section][0]),
              current: section === current,
            })),
            ...(group === 'copy' ? [ABOUT] : []),
          ],
        }))}
        onGo={(href) => navigate(href.slice(1))}
      >
        {named === undefined && name !== '' && (
          <p role="alert">{words.unknownSection(words.sections[current])}</p>
        )}
        <SettingsSection key={current} id={headingId} title={words.sections[current]} lead={lead}>
          <Part />
        </SettingsSection>
      </SettingsLayout>
    </div>
  )
}

function SignedInAs() {
  const { signOut } = useDashboard()
  const session = useSignedIn()
  const { mutate, isPending, data: hasLeft } = useAct({ mutationFn: signOut })
  if (session === undefined) return null
  return (
    <>
      <span className="text-12 ink-3 wrap-anywhere">{settingsTexts.session.signedInAs(session.name)}</span>
      {session.canSignOut && (
        <Button size="small" busy={isPending} onClick={() => mutate()} title={settingsTexts.session.keepsKey}>
          {settingsTexts.session.signOut}
        </Button>
      )}
      <span role="alert" className="field-error">
        {hasLeft === false && settingsTexts.session.failed}
      </span>
    </>
  )
}
