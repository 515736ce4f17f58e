import { useState } from 'react'
import { shortKey, ShownKey } from '#parts/shown-key.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { useSignerCall } from '#react/use-signer-call.ts'
import type { KeyInfo } from '#signer/api.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatClock, formatDay, formatFullTime, formatLongDay, zoneName } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { Time } from '#ui/time.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { fromFieldText } from '#parts/calendar-time.ts'
import { ConsentDialog } from '#parts/consent-dialog.tsx'
import { serviceIdOf } from '#record/service.ts'
import { useConsent } from '#react/use-consent.ts'
import type { Service } from '#settings/schema.ts'
import { KeyReplacement } from './key-replacement.tsx'
import { nameOfService, useKeyOfService } from '#features/settings/use-key-of-service.ts'
import { KeyVaultPart } from './key-vault.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import { TextField } from '#ui/text-field.tsx'
import { SavedNote } from '#parts/save.tsx'
import { QrCode } from '#ui/qr-code.tsx'
import { useRead } from '#react/reads.ts'

const words = settingsTexts.key

export function KeyCard({ info }: { readonly info: KeyInfo }) {
  const { signer } = useDashboard()
  const { problem, call } = useSignerCall()
  const [isAsking, setAsking] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const [isReplacing, setReplacing] = useState(false)
  const { servicesOf } = useKeyOfService()
  const services = servicesOf(info.publicKey).map(nameOfService)
  const isLast = useKeys().keys.length === 1
  const isNamed = useConfiguration().effective.services.some(({ key }) => key === info.publicKey)
  const short = shortKey(info)
  return (
    <>
      <Panel
        title={short}
        note={services.length > 0 ? words.signs : words.spare}
        actions={
          <div className="flow">
            <Button size="small" look="subtle" onClick={() => setEditing(true)}>
              {settingsTexts.edit}
            </Button>
            <Button
              size="small"
              look="subtle"
              aria-expanded={isReplacing}
              onClick={() => setReplacing((now) => !now)}
            >
              {keyTexts.replace.open}
            </Button>
            <Button size="small" look="subtle" onClick={() => setAsking(true)}>
              {settingsTexts.remove}
            </Button>
          </div>
        }
      >
        <div className="stack">
          {isEditing && <KeyNotesForm info={info} onClose={() => setEditing(false)} />}
          <KeyFacts info={info} services={services} />
          <KeyServices info={info} />
          {info.custody === 'vault' && <KeyVaultPart info={info} />}
          <ShownKey publicKey={info.publicKey} title={formTexts.key.publicKey} />
          <KeyQr publicKey={info.publicKey} />
          <p role="alert" className="text-12 ink-1">
            {problem !== undefined && words.removeFailed}
          </p>
        </div>
        <ConfirmDialog
          open={isAsking}
          title={words.removeTitle(short)}
          confirm={settingsTexts.remove}
          onClose={() => setAsking(false)}
          onConfirm={() => void call(() => signer.removeKey(info.publicKey))}
        >
          <p>{words.removeText}</p>
          {isLast ? <p>{words.removeLast}</p> : isNamed && <p>{words.removeUsed(services.join(', '))}</p>}
        </ConfirmDialog>
      </Panel>
      {isReplacing && (
        <KeyReplacement old={info} onRemove={() => setAsking(true)} onClose={() => setReplacing(false)} />
      )}
    </>
  )
}

function KeyFacts({ info, services }: { readonly info: KeyInfo; readonly services: readonly string[] }) {
  const { timeZone } = useConfiguration().settings.display
  const usedMs = useKeyUse(info)
  const at = (ms: number): string =>
    `${formatDay(ms, timeZone)} ${formatClock(ms, timeZone)} ${zoneName(timeZone, ms)}`
  return (
    <Properties
      items={[
        property(words.label, <VisibleText text={info.label} />),
        property(
          words.created,
          <Time atMs={info.createdMs} title={formatFullTime(info.createdMs)}>
            {at(info.createdMs)}
          </Time>,
        ),
        property(words.custody, `${words.custodyNames[info.custody]}${lockWords(info)}`),
        info.family === 'chain' && property(keyTexts.card.family, keyTexts.card.chain),
        property(
          keyTexts.card.usedBy,
          <VisibleText text={services.join(', ') || keyTexts.card.usedByNone} />,
        ),
        property(keyTexts.card.lastUsed, usedMs === undefined ? keyTexts.card.neverUsed : at(usedMs)),
        property(keyTexts.card.notAfter, <Until notAfterMs={info.notAfterMs} />),
      ]}
    />
  )
}

const lockWords = ({ locked }: KeyInfo): string =>
  locked === undefined ? '' : `. ${locked ? keyTexts.card.locked : keyTexts.card.open}`

function Until({ notAfterMs }: { readonly notAfterMs: number | undefined }) {
  const nowMs = useWallNow()
  if (notAfterMs === undefined) return keyTexts.card.notAfterNone
  // The last day ends in UTC, which may be another day in local time.
  const day = `${formatLongDay(notAfterMs, 'utc')} ${zoneName('utc')}`
  return nowMs !== undefined && nowMs > notAfterMs ? `${day} ${keyTexts.card.notAfterOver}` : day
}

type KeyNotesFormProps = { readonly info: KeyInfo; readonly onClose: () => void }

const notesWords = keyTexts.card

function KeyNotesForm({ info, onClose }: KeyNotesFormProps) {
  const { signer } = useDashboard()
  const { problem, call } = useSignerCall()
  const [label, setLabel] = useState(info.label)
  const [day, setDay] = useState(info.notAfterMs === undefined ? '' : dayOf(info.notAfterMs))
  const notAfterMs = endOf(day.trim())
  const isWrong = day.trim() !== '' && notAfterMs === undefined
  const save = async (): Promise<void> => {
    if (isWrong) return
    const notes = notAfterMs === undefined ? { label } : { label, notAfterMs }
    const noted = await call(() => signer.noteKey(info.publicKey, notes))
    if (noted.ok) onClose()
  }
  return (
    <>
      <TextField label={settingsTexts.key.label} value={label} maxLength={60} onChange={setLabel} />
      <TextField
        label={notesWords.date}
        hint={notesWords.dateHint}
        placeholder="2027-01-31"
        value={day}
        onChange={setDay}
        error={isWrong ? notesWords.dateForm : undefined}
      />
      <div className="flow">
        <Button look="primary" size="small" onClick={() => void save()}>
          {settingsTexts.save}
        </Button>
        <Button size="small" onClick={onClose}>
          {settingsTexts.cancel}
        </Button>
        <span role="alert" className="text-12 ink-1">
          {problem !== undefined && notesWords.noteFailed}
        </span>
      </div>
    </>
  )
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The last second of a UTC day such as "2027-01-31"; undefined if the date does not exist. */
function endOf(day: string): number | undefined {
  const ms = fromFieldText(`${day}T23:59:59`, 'utc')
  return ms !== undefined && dayOf(ms) === day ? ms : undefined
}

function KeyQr({ publicKey }: { readonly publicKey: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <details className="settings-layout-more" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary className="link">{keyTexts.card.qr}</summary>
      {isShown && <QrCode text={publicKey} label={keyTexts.card.qrAlt} />}
    </details>
  )
}

function KeyServices({ info }: { readonly info: KeyInfo }) {
  const { effective } = useConfiguration()
  const { saved, servicesOf, nameKey } = useKeyOfService()
  const asking = useConsent()
  const { signer } = useDashboard()
  const { call } = useSignerCall()
  const mine = servicesOf(info.publicKey).map(({ baseUrl }) => baseUrl)
  const others = effective.services.filter(({ baseUrl }) => !mine.includes(baseUrl))
  const signFor = async (service: Service): Promise<void> => {
    if (await asking.consent(info, service)) nameKey(info.publicKey, [service])
  }
  // The keys read afterwards show whether it worked.
  const stop = ({ baseUrl }: Service) => call(() => signer.stopSigning(info.publicKey, serviceIdOf(baseUrl)))
  const granted = effective.services.filter(
    ({ baseUrl }) => info.grants?.some(({ serviceId }) => serviceId === serviceIdOf(baseUrl)) === true,
  )
  return (
    <>
      <ConsentDialog asking={asking} />
      {granted.length > 0 && (
        <div className="flow">
          {granted.map((service) => (
            <Button key={service.baseUrl} size="small" look="subtle" onClick={() => void stop(service)}>
              {keyTexts.card.stopFor(nameOfService(service))}
            </Button>
          ))}
        </div>
      )}
      {others.length > 0 && (
        <div className="flow">
          {others.map((service) => (
            <Button key={service.baseUrl} size="small" onClick={() => void signFor(service)}>
              {keyTexts.card.signFor(nameOfService(service))}
            </Button>
          ))}
        </div>
      )}
      <SavedNote saved={saved} />
    </>
  )
}

const USE_READ_EVERY_MS = 10_000

/**
 * When the key last signed, in Unix ms; undefined if unknown. Queried while displayed, because the page's key list is not
 * updated on signing.
 */
function useKeyUse({ publicKey, lastUsedMs }: KeyInfo): number | undefined {
  const { signer } = useDashboard()
  const { data } = useRead({
    queryKey: ['key-use'],
    queryFn: async () => signer.keys(),
    refetchInterval: USE_READ_EVERY_MS,
  })
  return data?.find((key) => key.publicKey === publicKey)?.lastUsedMs ?? lastUsedMs
}
