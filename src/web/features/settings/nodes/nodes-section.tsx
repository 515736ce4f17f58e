import { Plus } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { AllowNote } from '#parts/allow-note.tsx'
import { ConsentDialog } from '#parts/consent-dialog.tsx'
import { NodesField } from '#parts/nodes-field.tsx'
import { DEFAULTS } from '#base/defaults.ts'
import { parseNodeList } from '#settings/node-list.ts'
import { serviceAt, type Service } from '#settings/schema.ts'
import { createDrafts } from '#react/drafts.ts'
import { useAllowed } from '#react/use-allowed.ts'
import { useConsent } from '#react/use-consent.ts'
import { hrefOf, NEW_SERVICE_PATH } from '#react/routes.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { additionOf, rowsOf, type EditsByService, type NodeEdits, useNodeEdits } from '#parts/node-edits.ts'
import { NodeTable } from './node-table.tsx'
import { NodesPreview } from './nodes-preview.tsx'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { withService } from '#features/settings/services/service-fields.ts'
import { SavedNote, SaveRow, useSave } from '#parts/save.tsx'
import { joined } from '#texts/format.ts'

const words = settingsTexts.nodes

export function NodesSection() {
  const { effective } = useConfiguration()
  return (
    <>
      {effective.services.length === 0 && <Empty title={words.noService} />}
      {effective.services.map((service) => (
        <NodesOfService key={service.baseUrl} service={service} />
      ))}
      <div>
        <LinkButton href={hrefOf(NEW_SERVICE_PATH)}>{settingsTexts.services.add}</LinkButton>
      </div>
    </>
  )
}

const useListDraft = createDrafts<string>()

export function NodesOfService({ service }: { readonly service: Service }) {
  const configuration = useConfiguration()
  const { baseUrl } = service
  const rows = useMemo(() => rowsOf(configuration, baseUrl), [configuration, baseUrl])
  const { edit: editAll, saved } = useNodeEdits()
  const [draft, setDraft] = useListDraft(baseUrl)
  const formId = useId()
  const isAdding = draft !== undefined || rows.length === 0
  const name = nameOfService(service)

  const edit = (edits: NodeEdits, done: string): boolean => editAll(new Map([[baseUrl, edits]]), done)

  return (
    <Panel
      title={words.label(name)}
      note={rows.length > 0 && words.count(rows.length)}
      flush
      actions={
        rows.length > 0 && (
          <Button
            size="small"
            icon={Plus}
            aria-expanded={isAdding}
            aria-controls={formId}
            onClick={() => setDraft(isAdding ? undefined : '')}
          >
            {words.add}
          </Button>
        )
      }
    >
      <div id={formId}>
        {isAdding && (
          <div className="panel-body">
            <AddNodes
              label={words.addTo(name)}
              service={service}
              text={draft ?? ''}
              onChange={setDraft}
              onAdd={editAll}
              isFirst={rows.length === 0}
            />
          </div>
        )}
      </div>
      {rows.length > 0 && <NodeTable service={service} label={words.label(name)} rows={rows} onEdit={edit} />}
      {saved !== undefined && saved.kind !== 'saved' && (
        <div className="panel-body">
          <SavedNote saved={saved} />
        </div>
      )}
    </Panel>
  )
}

const useListServices = (all: readonly Service[], own: Service): readonly Service[] =>
  useMemo(() => [own, ...all.filter(({ baseUrl }) => baseUrl !== own.baseUrl)], [all, own])

function useAddUnlisted() {
  const { server } = useConfiguration()
  const { keys } = useKeys()
  const { allow, allowProblem } = useAllowed()
  const { save, saved } = useSave()
  const asking = useConsent()
  const add = async (baseUrl: string): Promise<void> => {
    const service = serviceAt(baseUrl, server.canAddServices ? 'proxy' : 'direct')
    if (!(await allow(service)) || !save((now) => withService(now, service))) return
    // Without consent nothing is signed for it, and none of its nodes is polled.
    await asking.consent(keys.at(-1), service)
  }
  return {
    add: (baseUrl: string) => void add(baseUrl),
    problem: (
      <>
        {allowProblem?.isBlocking === true && (
          <AllowNote problem={allowProblem} service={allowProblem.service} />
        )}
        {saved !== undefined && saved.kind !== 'saved' && <SavedNote saved={saved} />}
      </>
    ),
    // Not within the form, which Enter would submit.
    question: asking.asked !== undefined && <ConsentDialog asking={asking} />,
  }
}

type AddNodesProps = {
  readonly label: string
  readonly service: Service
  readonly text: string
  readonly onChange: (text: string | undefined) => void
  readonly onAdd: (edits: EditsByService, done: string) => boolean
  /** The service has no nodes yet, so there is no list to return to. */
  readonly isFirst: boolean
}

/** Adds nodes from typed, pasted or loaded text. Unreadable lines stay in the field for correction; no node is removed. */
function AddNodes({ label, service, text, onChange, onAdd, isFirst }: AddNodesProps) {
  const configuration = useConfiguration()
  const services = useListServices(configuration.effective.services, service)
  const parsed = useMemo(() => parseNodeList(text, services), [text, services])
  const addition = useMemo(
    () => additionOf(configuration, service.baseUrl, parsed.nodes),
    [configuration, service, parsed],
  )
  const unlisted = useAddUnlisted()
  const total = configuration.settings.nodes.length
  const isTooMany = total + addition.added > DEFAULTS.nodesMax && addition.added > 0
  const [isAsked, setAsked] = useState(false)
  const submit = (): void => {
    setAsked(true)
    if (isTooMany || addition.edits.size === 0 || !onAdd(addition.edits, words.done(addition))) return
    setAsked(false)
    onChange(parsed.badText === '' ? undefined : parsed.badText)
  }
  return (
    <>
      <Form onSubmit={submit}>
        <NodesField
          label={label}
          text={text}
          services={services}
          onAddService={unlisted.add}
          rows={isFirst ? 4 : 2}
          onChange={(next) => {
            setAsked(false)
            onChange(next)
          }}
          onFileText={(added) => onChange(joined('\n', [text.trimEnd(), added]))}
          hint={() => words.hint}
        />
        {unlisted.problem}
        <NodesPreview list={parsed} addition={addition} baseUrl={service.baseUrl} />
        <SaveRow
          label={words.addThese(addition.added, addition.changed)}
          onCancel={isFirst && text === '' ? undefined : () => onChange(undefined)}
        >
          <output className="text-12 ink-3">{remark()}</output>
        </SaveRow>
      </Form>
      {unlisted.question}
    </>
  )

  function remark(): string | undefined {
    if (isTooMany) return words.tooMany(DEFAULTS.nodesMax)
    return isAsked && addition.edits.size === 0 ? words.nothing : undefined
  }
}
