import { useMemo } from 'react'
import { NodesField } from '#parts/nodes-field.tsx'
import { DEFAULTS } from '#base/defaults.ts'
import { formatNodeList, parseNodeList } from '#settings/node-list.ts'
import type { Service } from '#settings/settings.ts'
import { createDrafts } from '#react/drafts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Empty } from '#ui/empty.tsx'
import { Panel } from '#ui/panel.tsx'
import { Form, SettingsSection } from '#ui/settings-layout.tsx'
import { changesOf, ownNodesOf, withNodes } from './node-edits.ts'
import { nameOfService } from '#features/settings/use-key-of-service.ts'
import { headingId } from '#features/settings/sections.ts'
import { SaveRow, useSave } from '#features/settings/save.tsx'

const words = settingsTexts.nodes

export function NodesSection() {
  const { effective } = useConfiguration()
  return (
    <SettingsSection id={headingId('nodes')} title={settingsTexts.sections.nodes} lead={words.lead}>
      {effective.services.length === 0 && <Empty title={words.noService} />}
      {effective.services.map((service) => (
        <NodesEditor key={service.baseUrl} service={service} />
      ))}
    </SettingsSection>
  )
}

const useNodesDraft = createDrafts<string>()

/** One service's nodes as a text; saving says beforehand what it will do. */
function NodesEditor({ service }: { readonly service: Service }) {
  const { settings, server } = useConfiguration()
  const { baseUrl } = service
  const firstBaseUrl = (settings.services[0] ?? server.services[0])?.baseUrl
  const before = useMemo(
    () => ownNodesOf(settings.nodes, baseUrl, firstBaseUrl),
    [settings.nodes, baseUrl, firstBaseUrl],
  )
  // Undefined while nothing is edited: then the text follows the settings, whoever changes them.
  const [draft, setDraft] = useNodesDraft(baseUrl)
  const { save, saved, edited } = useSave()
  const text = draft ?? formatNodeList(before)
  const parsed = useMemo(() => parseNodeList(text), [text])
  const changes = useMemo(() => changesOf(before, parsed.nodes), [before, parsed])
  const isChanged = changes.added + changes.removed + changes.renamed + changes.retagged > 0
  const serverCount = ownNodesOf(server.nodes, baseUrl, server.services[0]?.baseUrl).length
  const isTooMany =
    settings.nodes.length + changes.added - changes.removed > DEFAULTS.nodesMax && changes.added > 0
  const edit = (next: string): void => {
    setDraft(next)
    edited()
  }
  const submit = (): void => {
    if (!isChanged || isTooMany) return
    const isSaved = save((now) => withNodes(now, baseUrl, firstBaseUrl, parsed.nodes))
    // Bad lines stay to be mended; otherwise the text is the settings again.
    if (isSaved && parsed.badCount === 0) setDraft(undefined)
  }
  return (
    <Panel title={words.label(nameOfService(service))}>
      <Form onSubmit={submit}>
        <NodesField
          label={words.label(nameOfService(service))}
          hideLabel
          text={text}
          rows={4}
          onChange={edit}
          onFileText={(added) => edit([text.trimEnd(), added].filter((part) => part !== '').join('\n'))}
          hint={(count) =>
            serverCount > 0 ? `${words.hint(count)} ${words.fromServer(serverCount)}` : words.hint(count)
          }
        />
        <SaveRow
          disabled={!isChanged || isTooMany}
          onDiscard={draft === undefined ? undefined : () => setDraft(undefined)}
          saved={saved}
        >
          <span className="t12 ink3">{summary()}</span>
        </SaveRow>
      </Form>
    </Panel>
  )

  function summary(): string | undefined {
    if (isTooMany) return words.tooMany(DEFAULTS.nodesMax)
    if (isChanged) return `${settingsTexts.unsaved}: ${words.changes(changes)}`
    return draft === undefined ? undefined : words.unchanged
  }
}
