import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react'
import { AllowNote } from '#parts/allow-note.tsx'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { ShortKey } from '#parts/shown-key.tsx'
import { ConsentDialog } from '#parts/consent-dialog.tsx'
import { keyFor, useConsent } from '#react/use-consent.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { useAllowed } from '#react/use-allowed.ts'
import { queryApiFor } from '#prometheus/long-term-series.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { formatSpan } from '#texts/format.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Step } from '#ui/first-run.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { ConfirmDialog } from '#parts/confirm-dialog.tsx'
import {
  withoutService,
  withService,
  readServiceFields,
  serviceFieldsOf,
  type ServiceFields,
} from './service-fields.ts'
import { AnotherKey } from '#features/settings/keys/add-key.tsx'
import { NodesOfService } from '#features/settings/nodes/nodes-section.tsx'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { SavedNote, useSave, SaveRow } from '#parts/save.tsx'
import { createDrafts, useFormChecks } from '#react/drafts.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { SelectField } from '#ui/select-field.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { optionsOf } from '#ui/choices.tsx'

const words = settingsTexts.services
/** Longest valid base URL. */
const ADDRESS_CHARS_MAX = 300

type ServiceCardProps = {
  readonly service: Service
  /** Just added here: the card tests the service and then guides to key and nodes. */
  readonly isNew: boolean
}

type Opened = 'edit' | 'test' | 'remove' | undefined

export function ServiceCard({ service, isNew }: ServiceCardProps) {
  const { server, settings, effective } = useConfiguration()
  const [draft, setDraft] = useServiceDraft(service.baseUrl)
  const [open, setOpen] = useState<Opened>(draft === undefined ? (isNew ? 'test' : undefined) : 'edit')
  const [busy, setBusy] = useState(false)
  const { saved, save, edited } = useSave()
  const { allow, allowProblem } = useAllowed()
  const { baseUrl } = service
  const isOwn = settings.services.some((own) => own.baseUrl === baseUrl)
  const isServers = server.services.some((theirs) => theirs.baseUrl === baseUrl)
  const name = nameOfService(service)
  const nodeCount = effective.nodes.filter((node) => node.service === baseUrl).length
  const close = (): void => {
    setDraft(undefined)
    setOpen(undefined)
  }
  const submit = async (next: Service): Promise<void> => {
    setBusy(true)
    const isAllowed = await allow(next)
    setBusy(false)
    if (isAllowed && save((now) => withService(now, next))) close()
  }
  const toggle = (what: 'edit' | 'test'): void => {
    edited()
    setOpen((now) => (now === what ? undefined : what))
  }
  return (
    <Panel
      title={name}
      note={isOwn ? words.own : words.fromServer}
      actions={
        <Actions
          open={open}
          onToggle={toggle}
          editLabel={isServers && !isOwn ? words.copy : settingsTexts.edit}
          removeLabel={isServers ? words.revert : settingsTexts.remove}
          onRemove={isOwn ? () => setOpen('remove') : undefined}
        />
      }
    >
      <div className="stack">
        {open === 'edit' ? (
          <ServiceForm
            service={service}
            canProxy={server.canAddServices || isServers}
            busy={busy}
            onSave={(next) => void submit(next)}
            onCancel={close}
          />
        ) : (
          <Shown service={service} isOwn={isOwn} />
        )}
        {allowProblem?.isBlocking === true && <AllowNote problem={allowProblem} service={service} />}
        <SavedNote saved={saved} />
        {open === 'test' && <ServiceTest service={service} />}
        {isNew && <NextSteps service={service} nodeCount={nodeCount} />}
      </div>
      <ConfirmDialog
        open={open === 'remove'}
        title={isServers ? words.revertTitle(name) : words.removeTitle(name)}
        confirm={isServers ? words.revert : settingsTexts.remove}
        onClose={() => setOpen(undefined)}
        onConfirm={() => save((now) => withoutService(now, baseUrl, isServers))}
      >
        {isServers ? words.revertText : words.removeText(nodeCount)}
      </ConfirmDialog>
    </Panel>
  )
}

function NextSteps({ service, nodeCount }: { readonly service: Service; readonly nodeCount: number }) {
  const { keys } = useKeys()
  const asking = useConsent()
  const key = keyFor(service, keys)
  const newest = keys.at(-1)
  const isKeyNeeded = needsKey(service)
  const done = (isDone: boolean) => (isDone ? firstRunTexts.done : undefined)
  return (
    <div>
      {isKeyNeeded && (
        <Step number={2} title={words.next.key} doneLabel={done(key !== undefined)}>
          {key !== undefined ? (
            <p>
              {words.next.signedWith} {toVisibleText(key.label)} <ShortKey publicKey={key.publicKey} />
            </p>
          ) : (
            <>
              {newest !== undefined && (
                <div>
                  <Button look="primary" onClick={() => void asking.consent(newest, service)}>
                    {words.next.takeKey(toVisibleText(newest.label))}
                  </Button>
                </div>
              )}
              <AnotherKey isFirst={newest === undefined} service={service} />
            </>
          )}
          <ConsentDialog asking={asking} />
        </Step>
      )}
      <Step number={isKeyNeeded ? 3 : 2} title={words.next.nodes} doneLabel={done(nodeCount > 0)}>
        <NodesOfService service={service} />
        {nodeCount > 0 && (
          <div>
            <LinkButton look="primary" href={hrefOf(PATHS.nodes)}>
              {words.next.show}
            </LinkButton>
          </div>
        )}
      </Step>
    </div>
  )
}

type ActionsProps = {
  readonly open: Opened
  readonly onToggle: (what: 'edit' | 'test') => void
  readonly editLabel: string
  readonly removeLabel: string
  /** Undefined if this browser has no settings of its own for the service. */
  readonly onRemove: (() => void) | undefined
}

const Actions = ({ open, onToggle, editLabel, removeLabel, onRemove }: ActionsProps) => (
  <>
    <Button size="small" look="subtle" aria-expanded={open === 'test'} onClick={() => onToggle('test')}>
      {open === 'test' ? words.hideTest : words.test}
    </Button>
    <Button size="small" look="subtle" aria-expanded={open === 'edit'} onClick={() => onToggle('edit')}>
      {editLabel}
    </Button>
    {onRemove !== undefined && (
      <Button size="small" look="subtle" onClick={onRemove}>
        {removeLabel}
      </Button>
    )}
  </>
)

function Shown({ service, isOwn }: { readonly service: Service; readonly isOwn: boolean }) {
  const { fields } = words
  const { signedByServer, queryApis } = useConfiguration().server
  const signed = signedByServer?.find((each) => each.service === service.baseUrl)
  const api = queryApiFor(queryApis, service.baseUrl)
  const signing = (): ReactNode => {
    if (typeof service.profile === 'string') return service.profile
    if (signed !== undefined)
      return (
        <>
          {fields.signedByServer} <ShortKey publicKey={signed.publicKey} />
        </>
      )
    if (api?.live === true) return fields.unsignedOf(toVisibleText(api.name))
    return isOwn ? words.own : words.fromServer
  }
  return (
    <Properties
      items={[
        property(fields.baseUrl, <VisibleText text={service.baseUrl} charsMax={ADDRESS_CHARS_MAX} />),
        property(fields.via, fields.viaNames[service.via]),
        property(fields.pollShown, formatSpan(service.pollIntervalMs)),
        property(fields.deadlineShown, formatSpan(service.timeoutMs)),
        property(fields.paceShown, service.pace === undefined ? fields.noPace : fields.paceOf(service.pace)),
        property(fields.profile, signing()),
        api && property(fields.queryApi, toVisibleText(api.name)),
      ]}
    />
  )
}

/** A connection test with the service's own nodes. Only run on request, because it sends requests to the service. */
function ServiceTest({ service }: { readonly service: Service }) {
  const { effective } = useConfiguration()
  const { keys } = useKeys()
  const { connectionTest, start } = useConnectionTest()
  const asking = useConsent()
  const test = async (): Promise<void> => {
    const key = keyFor(service, keys) ?? keys.findLast(({ publicKey }) => publicKey === service.key)
    const mayUse = !needsKey(service) || (await asking.consent(key ?? keys.at(-1), service))
    await start({
      service,
      nodes: effective.nodes.filter((node) => node.service === service.baseUrl),
      sign: mayUse,
    })
  }
  // Opening it with "Test" starts the test.
  const isBegun = useRef(false)
  const testOnce = useEffectEvent(() => {
    if (isBegun.current) return
    isBegun.current = true
    void test()
  })
  useEffect(() => testOnce(), [])
  return (
    <>
      <ConsentDialog asking={asking} />
      <ConnectionTest
        connectionTest={connectionTest}
        context={contextOf(service)}
        onTest={() => void test()}
      />
    </>
  )
}

type ServiceFormProps = {
  readonly service: Service
  /** Whether the server's proxy accepts services from this page. */
  readonly canProxy: boolean
  readonly busy: boolean
  readonly onSave: (service: Service) => void
  readonly onCancel: () => void
}

const useServiceDraft = createDrafts<ServiceFields>()

function ServiceForm({ service, canProxy, busy, onSave, onCancel }: ServiceFormProps) {
  const [fields = serviceFieldsOf(service), setDraft] = useServiceDraft(service.baseUrl)
  const form = useFormChecks(fields, setDraft, (typed) => readServiceFields(service, typed))
  const { problems, change: set } = form
  const textField = (name: 'label' | 'poll' | 'deadline' | 'pace', hint: string) =>
    formFields(fields, (field, value) => set({ [field]: value })).text(name, words.fields[name], {
      hint,
      inputMode: name === 'label' ? 'text' : 'decimal',
      error: fieldProblemText(problems[name], name === 'pace' ? String : formatSpan),
    })
  return (
    <Form onSubmit={() => busy || form.submit(onSave)}>
      <div className="settings-layout-fields">
        {textField('label', words.fields.labelHint)}
        <SelectField
          label={words.fields.via}
          value={fields.via}
          options={optionsOf(words.fields.viaNames).filter(
            ({ value }) => canProxy || service.via === 'proxy' || value === 'direct',
          )}
          onChange={(via) => set({ via })}
        />
        {textField('poll', words.fields.pollHint)}
        {textField('deadline', words.fields.deadlineHint)}
        {textField('pace', words.fields.paceHint)}
      </div>
      <SaveRow busy={busy} onCancel={onCancel} />
    </Form>
  )
}
